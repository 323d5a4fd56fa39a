"""torch and torchvision, imported. Import this before anything that imports torchvision.

Beside a build of torch that it was not compiled for, torchvision cannot be imported for want of two operators that
nothing here calls. There they are declared, and it is imported again; a torchvision that fits is left alone.
"""

import sys

import torch

try:
    import torchvision
except RuntimeError:
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
        del sys.modules[name]
    LIBRARY = torch.library.Library("torchvision", "DEF")
    LIBRARY.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    LIBRARY.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    import torchvision

torch.set_num_threads(1)  # tiny matrices: threads would only wait for one another
VERSIONS = (torch.__version__, torchvision.__version__)
