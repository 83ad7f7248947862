package run

import (
	"fmt"
	"time"

	"github.com/quintain-rl/quintain/settings"
)

// Settings are those of a run itself.
type Settings struct {
	Seed         uint64        // of the streams of problems
	GroupSize    int           // episodes of one problem
	BatchSize    int           // episodes of one training step
	MaxLag       int           // policy versions between an episode's oldest token and its training; 0 is on-policy
	Parallel     int           // episodes under way at once
	Steps        int           // after which the run ends; 0: it does not
	Minutes      float64       // of playing, after which the run ends; 0: it does not
	Replays      int           // of an episode whose policy failed
	EpisodeTime  time.Duration // that servers may take for the replies of an episode together; 0: no limit
	Grace        time.Duration // for episodes under way when the run is stopped
	StepTime     time.Duration // how long the built-in consumer takes for a batch, besides its training
	ExamProblems int           // held-out problems of each task in an examination; 0: there are no examinations
	ExamEvery    time.Duration // between examinations during the run; 0: there are none
}

// Defaults returns the settings of a run where nothing else is said.
func Defaults() Settings {
	return Settings{Seed: 1, GroupSize: 8, BatchSize: 64, MaxLag: 2, Parallel: 512, Replays: 2, Grace: 30 * time.Second}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Uint64(&s.Seed, "seed", "seed of the streams of problems, of what the policies tiny and script sample, and of the tasks of --set atropos")
	d.Int(&s.GroupSize, "group_size", "episodes of one problem").AtLeast(1)
	d.Int(&s.BatchSize, "batch_size", "episodes of one training step").AtLeast(1)
	d.Int(&s.MaxLag, "max_lag", "policy versions that an episode may be older than its training").AtLeast(0)
	d.Int(&s.Parallel, "parallel", "episodes under way at once").AtLeast(1)
	d.Int(&s.Steps, "steps", "training steps after which the run ends; 0: it does not").AtLeast(0)
	d.Float(&s.Minutes, "minutes", "minutes of playing after which the run ends; 0: it does not").AtLeast(0)
	d.Int(&s.Replays, "replays", "how often an episode is played again from the start after its server failed").AtLeast(0)
	d.Duration(&s.EpisodeTime, "episode_time", "time that servers may take for all replies of an episode, besides what they wait for room; one that takes longer is timed_out, and its group is dropped, or it has no score in an examination; 0: no limit").AtLeast(0)
	d.Duration(&s.Grace, "grace", "time for episodes under way when the run is stopped").AtLeast(0)
	d.Duration(&s.StepTime, "step_time", "how long the built-in consumer takes for a batch, besides its training").AtLeast(0)
	d.Int(&s.ExamProblems, "exam_problems", "held-out problems of each task in an examination; 0: there are no examinations").AtLeast(0)
	d.Duration(&s.ExamEvery, "exam_every", "time between examinations during the run; 0: only before and after").AtLeast(0)
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	if s.BatchSize%max(1, s.GroupSize) != 0 {
		return fmt.Errorf("batch_size: is %d, want a multiple of group_size, %d", s.BatchSize, s.GroupSize)
	}
	return nil
}
