"""Titles: made up out of patterns, beside those of real works, so that what is learnt is not one field's words."""

from __future__ import annotations

from random import Random

PATTERNS = (
    "{a} {n} for {n}", "{s}: {a} {n} for {a} {n}", "{g} {n} with {a} {n}", "On the {p} of {a} {n}",
    "{a} {n} in {n}: A {p} of {n}", "Is {n} {a}?", "Towards {a} {n} via {g} {n}",
    "{n} and {n}: {p} and {p}", "{g} to {g}: {a} {n} from {n}", "The {p} of {n} in the {c}",
    "{s}: {g} {n} at scale", "How {a} are {n}? A {p} of {n} in {c}", "{a} {n}",
    "A {a} {p} of {n}, {n}, and {n}", "{n} vs. {n}: {g} {a} {n}", "{s} technical report",
    "{s} {v}: {a} {n} using {n}", "What does {s} know about {n}?",
    "{g} {a} {n} by {g} {n} [invited]", "{n} of the {c}: the {p}, 1950–2000",
    "Le {p} des {n} : une étude", "Über die {p} von {n} in der {c}",
    "{a} {n} without {n}! {g} the {p}", "Attention to {n} is not {a} {n}", "Introducing {s}",
    "{s} is a {a} {p}", "{p}", "{a} {n} (extended abstract)", "La {p} de {n} en {c}",
    "“{n}” or “{n}”? {p} in {c}", "{n} – {a} {p} for {n}", "Hello {s}", "{s}", "{p} in {c}",
    "{a}-{a} {n} under {n}-{a} {n}", "基于{s}的文本分类研究", "深度学习综述",
    "知识图谱问答方法综述", "日本語{s}の構築と評価", "大規模言語モデルに関する研究",
    "Методы анализа {s}", "Введение в теорию моделей", "О структуре текста: методы и модели",  # noqa: RUF001
    "한국어 문서 요약 연구", "{s} 기반 질의응답 시스템", "{s}-{v}: {a} {n}",
    "{s}: A {p} reaching 90% of {n}", "{g} {n} with 95%* fewer {n}", "{a} {n} $\\ell_1$ {p}",
    "Report {v}: {a} {n} in the {c} (3rd {p})", "{a} {n} 2019", "The {a} {n}: Pub. {v}",
    "The {s} herd of {n}", "Handbook of {a} {n}", "{n}, {n} & {n}", "{n} i: {a} {p}",
    "{g} {n}. {p} of {c}",
)  # fmt: skip
"""The patterns: a hole names the kind of word that fills it."""
WORDS: dict[str, tuple[str, ...]] = {
    "a": (
        "efficient", "robust", "large", "deep", "neural", "visual", "causal", "quantum", "multimodal", "sparse",
        "bayesian", "clinical", "spatial", "adaptive", "open-domain", "self-supervised", "low-rank",
        "retrieval-augmented", "zero-shot", "temporal", "nonlinear", "social", "human", "fair", "reliable", "unified",
        "generative", "stochastic", "long-term", "hierarchical", "cross-lingual", "optimal", "linear", "chronic",
        "acute", "organic", "marine", "federated", "contrastive", "weakly-supervised", "fine-grained", "end-to-end",
        "3D",
    ),
    "n": (
        "language models", "graphs", "transformers", "attention", "networks", "proteins", "question answering",
        "image segmentation", "translation", "agents", "policies", "cells", "markets", "citations", "documents",
        "knowledge graphs", "reinforcement learning", "diffusion models", "patients", "rivers", "solar cells",
        "inference", "memory", "time series", "speech", "representation learning", "code generation",
        "object detection", "embeddings", "retrieval", "hallucinations", "groundwater", "catalysts", "supply chains",
        "elections", "mice", "LLMs", "BERT", "GPT-4", "CNNs", "climate models", "polymers", "superconductors",
        "children", "trust", "migration", "inequality", "fonts", "typesetting", "compilers",
    ),
    "g": (
        "learning", "rethinking", "scaling", "exploring", "measuring", "improving", "evaluating", "detecting",
        "aligning", "understanding", "predicting", "training", "reading", "teaching", "modelling",
    ),
    "p": (
        "survey", "analysis", "study", "benchmark", "role", "theory", "framework", "history", "review", "dataset",
        "limits", "approach", "evaluation", "perspective", "introduction", "structure", "effect",
    ),
    "c": (
        "wild", "21st century", "U.S.", "European Union", "Middle Ages", "brain", "deep sea", "classroom",
        "Sub-Saharan Africa", "Berlin", "C++", "Python", "practice", "U.K.",
    ),
    "s": (
        "ViLT", "LLaMA", "GraphRAG", "T5X", "DeepSeek-R1", "Flan", "SQuAD", "YOLO", "Med-PaLM", "RoBERTa", "CoLA",
        "BioNet", "3D-UNet", "Qwen2.5", "FActScore", "Mixtral", "node2vec", "R²", "MS-COCO",
    ),
    "v": (
        "v2", "2.0", "v3.5", "II", "3", "v0.1", "1.5", "Plus",
    ),
}  # fmt: skip
"""The words of the holes: adjectives, nouns, gerunds, kinds of papers, circumstances, names of systems, versions."""


def made_up(rng: Random) -> str:
    """Return a title of a pattern."""
    text, parts = rng.choice(PATTERNS), []
    while text:
        before, brace, text = text.partition("{")
        parts.append(before)
        if brace:
            kind, _, text = text.partition("}")
            parts.append(rng.choice(WORDS[kind]))
    title = "".join(parts)
    return title[:1].upper() + title[1:]
