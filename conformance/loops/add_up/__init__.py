from add_up.taskset import AddUpTaskset

__all__ = ["AddUpTaskset"]
