package starter

import "strconv"

// Preset returns the settings that suit the embedded model, by their keys, for a scenario.
func Preset(scenario string) map[string]string {
	preset := map[string]string{
		"run.exam_problems":          "64",
		"run.exam_every":             "15s",
		"run.max_lag":                "4",
		"run.parallel":               "256",
		"run.group_size":             "16", // of 8, more groups have equal scores
		"curriculum.mode":            "curriculum",
		"curriculum.memory":          "6",
		"curriculum.floor":           "0.08",
		"learn.weight_cap":           "1",      // so small a model changes quickly: stale tokens must not count for more than fresh ones
		"learn.learning_rate":        "0.0002", // a step has few groups: at 0.0005 the model forgets solved levels
		"policy.sampling.max_tokens": "48",
	}
	if of, ok := games[scenario]; ok {
		preset["model.context"] = strconv.Itoa(of.context)
		preset["run.max_lag"] = "1"
		preset["learn.learning_rate"] = strconv.FormatFloat(of.rate, 'f', -1, 64)
	}
	if scenario == "math_multi_turn" {
		preset["run.max_lag"] = "1" // it learns little from older replies of several turns
	}
	return preset
}

// Scenario returns the settings of a scenario that suit the embedded model, by their keys.
func Scenario(name string) map[string]string {
	switch {
	case name == "math_multi_turn":
		return map[string]string{"short_prompts": "true", "feedback_right": "yes", "feedback_wrong": "no", "feedback_none": "what"}
	case name == "reasoning_gym" || games[name].context > 0:
		return map[string]string{"short_prompts": "true"}
	}
	return nil
}
