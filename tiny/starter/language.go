package starter

// Language returns the settings that suit a language model of 0.1 to 1 billion parameters on the cores of a
// laptop, by their keys.
func Language() map[string]string {
	return map[string]string{
		"curriculum.mode":            "curriculum",
		"run.exam_problems":          "64",
		"run.exam_every":             "5m",
		"run.batch_size":             "32", // four groups that differ: of more, there are too few steps
		"run.max_lag":                "2",
		"run.parallel":               "64",    // the matrices come from memory once for all; each takes four megabytes
		"rules.mask_too_long":        "false", // it first has to learn to end its replies
		"learn.learning_rate":        "0.0003",
		"learn.decay_steps":          "400",
		"learn.weight_decay":         "0",
		"learn.micro_tokens":         "256", // a token takes 0.7 megabytes
		"policy.sampling.max_tokens": "32",
		"model.context":              "1024",
	}
}

// LanguageScenario returns the settings of a scenario that suit such a model, by their keys.
func LanguageScenario(name string) map[string]string {
	if name == "reasoning_gym" || name == "math_multi_turn" {
		// Without examples, so small a model answers in no readable form. If they are the same, they are read once.
		// Short questions it takes more often as one more example.
		return map[string]string{"examples": "2", "examples_fixed": "true", "short_prompts": "true"}
	}
	return nil
}
