"""Answer from whole page images, where a vision model draws the box itself."""

from rag.methods.visa import boxes
from rag.methods.visa.method import VisaMethod, visa_method
