"""Venues: names of journals, conferences, publishers and others for entries that are drawn to learn from."""

from __future__ import annotations

from random import Random

SUBJECTS = (
    "Machine Learning", "Computational Linguistics", "Computer Vision", "Artificial Intelligence",
    "Software Engineering", "Physics",
    "Organic Chemistry", "Applied Mathematics", "Economics", "Clinical Oncology", "Neuroscience",
    "Information Retrieval", "Robotics",
    "Data Mining", "Political Science", "Geophysics", "Molecular Biology", "Public Health", "Education",
    "Human-Computer Interaction",
    "Operations Research", "Statistics", "Pattern Recognition", "Signal Processing", "Materials Science",
    "Psychology", "Ecology",
    "Computer Graphics", "Network Security", "Natural Language Processing", "Digital Libraries",
    "Speech and Language", "Medicine",
    "Energy Policy", "Climate Dynamics", "Urban Planning", "Finance and Accounting", "Law and Technology",
    "Marine Science",
    "Databases", "Knowledge Management", "Genetics", "Epidemiology", "Fluid Mechanics", "Logic", "Philosophy",
    "Sociology", "History",
)  # fmt: skip
JOURNALS = (
    "Journal of {}", "{}", "International Journal of {}", "IEEE Transactions on {}", "Annals of {}", "Advances in {}",
    "European Journal of {}",
    "ACM Transactions on {}", "Journal of {} Research", "{} Letters", "The {} Review", "Nature {}", "Frontiers in {}",
    "IEEE Trans. {}",
    "J. {}", "Annual Review of {}", "Acta {}", "Archives of {}", "Zeitschrift für {}", "Revue de {}", "Revista de {}",
    "Trends in {}",
    "The Journal of {}", "The Annals of {}", "The {} Journal", "计算机学报", "软件学报",
    "情報処理学会論文誌", "言語処理学会",
    "Вестник университета", "Вопросы языкознания", "정보과학회논문지",
    "Nature", "Science", "PLoS ONE", "Cell", "PNAS", "Proceedings of the National Academy of Sciences",
    "Physical Review Letters",
    "Proc. Natl. Acad. Sci. U.S.A.", "The Lancet", "Transactions of the Association for {}", "Bulletin of {}",
    "Communications of the ACM",
    "J. Am. Chem. Soc.", "Phys. Rev. B", "IEEE Access", "Scientific Reports", "Biometrika", "Econometrica",
    "Expert Systems with Applications",
)  # fmt: skip
MEETINGS = (
    "Proceedings of the {n} International Conference on {}", "International Conference on {}",
    "Proceedings of the {n} Annual Meeting of the Association for {}",
    "Advances in {} Systems", "Proc. of the {n} Conference on {}", "Proceedings of the {y} Conference on {}",
    "Workshop on {}", "{n} USENIX Symposium on {}",
    "NeurIPS", "ICML", "ICLR", "CVPR", "ACL", "EMNLP", "NAACL", "AAAI", "KDD", "SIGIR", "WWW", "CHI", "Interspeech",
    "ECCV", "COLING {y}",
    "Proceedings of the IEEE/CVF Conference on {}", "Findings of the Association for {}: EMNLP {y}",
    "Advances in Neural Information Processing Systems",
    "Proc. Int. Conf. {}", "Proceedings of the {n} ACM SIGKDD International Conference on {} (KDD)",
    "Tagungsband der {n} Konferenz {}",
    "Lecture Notes in {}", "{} – {y}: {n} International Conference", "Proc. ICASSP",
    "The {n} Annual Symposium on {} (SIG{y})", "Handbook of {}",
    "Proc. of {}", "Proc. of the {n} Int. Conf. on {}", "Thirty-Fourth Conference on {}",
    "Eleventh Annual {} Conference", "Proc. of NAACL",
    "The Twelfth International Conference on {}", "International Conference on {}, ICX {y}",
    "Actes de la {n} Conférence sur {}",
)  # fmt: skip
HOUSES = (
    "Springer", "MIT Press", "Cambridge University Press", "Oxford University Press", "Elsevier", "John Wiley & Sons",
    "ACM", "IEEE",
    "Association for Computational Linguistics", "PMLR", "Curran Associates, Inc.", "CRC Press", "O’Reilly Media",
    "Harvard University Press",
    "Springer International Publishing", "AAAI Press", "De Gruyter", "Suhrkamp", "Presses Universitaires de France",
    "Alianza Editorial",
    "Routledge", "SAGE", "Academic Press", "USENIX Association", "Prentice Hall", "Morgan Kaufmann", "Penguin Books",
    "Random House",
)  # fmt: skip
SCHOOLS = (
    "Stanford University", "Massachusetts Institute of Technology", "ETH Zürich", "University of Toronto",
    "Technische Universität Berlin",
    "Université Paris-Saclay", "University of Oxford", "Universidad de Sevilla", "Tsinghua University",
    "Carnegie Mellon University",
)  # fmt: skip
PLACES = (
    "Berlin", "New York, NY, USA", "Cambridge, MA", "Paris, France", "Cham", "London", "Online", "Vienna, Austria",
    "Singapore", "Toronto, Canada",
    "Red Hook, NY", "Virtual Event", "Heidelberg", "Amsterdam", "Miami, Florida",
)  # fmt: skip
BODIES = (
    "OpenAI", "Meta AI", "Google DeepMind", "World Health Organization", "European Commission", "Anthropic",
    "Gemma Team", "Hugging Face",
    "National Institute of Standards and Technology", "U.S. Department of Energy", "UNESCO",
    "Bundesministerium für Bildung und Forschung",
    "Statistisches Bundesamt", "OECD", "International Energy Agency", "Microsoft", "NVIDIA", "The Royal Society",
    "Llama Team", "Red Cross",
    "World Bank", "Intergovernmental Panel on Climate Change", "Executive Office of the President",
    "National Academies of Sciences, Engineering, and Medicine", "EPA", "USDA", "NOAA",
    "Office of the Surgeon General", "DeepSeek-AI", "Qwen Team", "The pandas development team", "ISO",
    "Wikipedia contributors",
)  # fmt: skip
SITES = (
    "Available at SSRN",
    "Blog",
    "Press release",
    "Hugging Face",
    "Kaggle",
    "Towards Data Science",
    "GitHub repository",
    "OpenAI blog",
    "Blog post",
    "The Guardian",
    "Medium",
    "Technical report",
    "Google AI Blog",
)
ORDINALS = (
    "12th",
    "33rd",
    "58th",
    "2nd",
    "21st",
    "Thirty-Fourth",
    "First",
    "17.",
    "Fifteenth",
    "5th",
    "41st",
    "Eighth",
)


def journal(rng: Random) -> str:
    """Return the name of a journal."""
    return rng.choice(JOURNALS).format(rng.choice(SUBJECTS))


def meeting(rng: Random, year: str) -> str:
    """Return the name of the proceedings of a conference."""
    return rng.choice(MEETINGS).format(rng.choice(SUBJECTS), n=rng.choice(ORDINALS), y=year)
