package atropos

// The default evaluation of Atropos' ReasoningGym environment.
const (
	Seed            = 42  // of the environment; it draws the tasks
	EvalSeed        = 123 // of the problems
	EvalProblems    = 5   // of each task
	EvalTemperature = 0.1
	EvalMaxTokens   = 4096 // twice its max_token_length, prompt included
)
