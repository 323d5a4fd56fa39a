"""Fine-tune a vision-language model with LoRA to draw boxes around evidence."""
