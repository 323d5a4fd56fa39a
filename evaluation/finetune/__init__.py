"""Fine-tuning: a vision model is taught to point, by LoRA."""
