package tiny

// A Step is the record of one training step: a line of the training log.
type Step struct {
	Version int      `json:"version"` // of the new weights
	Seconds float64  `json:"seconds"` // training time of all processes so far
	Batch   []string `json:"batch"`   // IDs of its groups
	Metrics Metrics  `json:"metrics"`
}
