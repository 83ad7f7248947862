from with_tool.taskset import WithToolTaskset
__all__ = ["WithToolTaskset"]
