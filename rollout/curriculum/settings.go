package curriculum

import "github.com/quintain-rl/quintain/settings"

// A Mode says whether and how the levels of tasks change.
type Mode string

// The modes. Those of Atropos are null, random and curriculum.
const (
	None     Mode = "none"       // they do not: there is no curriculum
	Random   Mode = "random"     // every draw has a complexity of its own, all equally likely
	Adaptive Mode = "curriculum" // a controller moves them
)

// A Controller moves the complexity of tasks.
type Controller string

// The controllers.
const (
	Teaching Controller = "teaching" // goes where groups teach; see the package
	Atropos  Controller = "atropos"  // follows the mean scores, as the ReasoningGym environment of Atropos
)

// Settings are those of a curriculum.
type Settings struct {
	Mode       Mode
	Controller Controller // in the mode curriculum
	Target     float64    // mean score that the controller Atropos steers each task to, 0 to 1
	Memory     float64    // of the controller Teaching: number of the last groups of a level that count; 1 or more
	Floor      float64    // of the controller Teaching: share of the draws that go by the weights alone, 0 to 1
}

// Default returns the settings where nothing else is said: there is no curriculum.
func Default() Settings {
	return Settings{Mode: None, Controller: Teaching, Target: 0.7, Memory: 3, Floor: 0.03}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	settings.Word(d, &s.Mode, "mode", "whether and how the levels of tasks change: not at all, at random, or with what the policy can do").
		OneOf(string(None), string(Random), string(Adaptive)).Flag("complexity-mode")
	settings.Word(d, &s.Controller, "controller", "what moves them in the mode curriculum").OneOf(string(Teaching), string(Atropos))
	d.Float(&s.Target, "target_accuracy", "mean score that the controller atropos steers each task to").Between(0, 1)
	d.Float(&s.Memory, "memory", "of the controller teaching: number of the last groups of a level that count, on average").AtLeast(1)
	d.Float(&s.Floor, "floor", "of the controller teaching: share of the draws that go by the weights of the tasks alone").Between(0, 1)
}
