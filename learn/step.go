package learn

// A Step is one step of training as it was made: a line of the log of training.
type Step struct {
	Version int      `json:"version"` // of the weights that it made
	Seconds float64  `json:"seconds"` // that processes have trained until then
	Batch   []string `json:"batch"`   // IDs of the groups that it was trained on
	Metrics Metrics  `json:"metrics"`
}
