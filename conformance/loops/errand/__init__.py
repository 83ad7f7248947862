from errand.taskset import ErrandTaskset
__all__ = ["ErrandTaskset"]
