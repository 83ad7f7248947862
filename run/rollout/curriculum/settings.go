package curriculum

import "github.com/quintain-rl/quintain/internal/settings"

// A Mode says whether and how the levels of tasks change.
type Mode string

// The modes. Those of Atropos are null, random and curriculum.
const (
	None     Mode = "none"       // fixed: no curriculum
	Random   Mode = "random"     // every draw has a complexity of its own, uniformly distributed
	Adaptive Mode = "curriculum" // a controller moves the complexity
)

// A Controller moves the complexity of tasks.
type Controller string

// The controllers.
const (
	Teaching Controller = "teaching" // goes where groups teach; see the package
	Atropos  Controller = "atropos"  // follows the mean scores, like Atropos' ReasoningGym environment
)

// Settings configures a curriculum.
type Settings struct {
	Mode       Mode
	Controller Controller // of the mode curriculum
	Target     float64    // mean score that the controller Atropos aims at in each task, 0 to 1
	Memory     float64    // of the controller Teaching: the last groups of a level that count; 1 or more
	Floor      float64    // of the controller Teaching: share of the draws that follow the weights alone, 0 to 1
}

// Default returns the default settings: no curriculum.
func Default() Settings {
	return Settings{Mode: None, Controller: Teaching, Target: 0.7, Memory: 3, Floor: 0.03}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	settings.Word(d, &s.Mode, "mode", "how the levels of tasks change: not at all, at random, or with the policy's abilities").
		OneOf(string(None), string(Random), string(Adaptive)).Flag("complexity-mode")
	settings.Word(d, &s.Controller, "controller", "controller of the mode curriculum").OneOf(string(Teaching), string(Atropos))
	d.Float(&s.Target, "target_accuracy", "mean score that the controller atropos aims at in each task").Between(0, 1)
	d.Float(&s.Memory, "memory", "controller teaching: the last groups of a level that count, on average").AtLeast(1)
	d.Float(&s.Floor, "floor", "controller teaching: share of the draws that follow the tasks' weights alone").Between(0, 1)
}
