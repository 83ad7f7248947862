from two_rounds.taskset import TwoRoundsEnv, TwoRoundsTaskset
__all__ = ["TwoRoundsEnv", "TwoRoundsTaskset"]
