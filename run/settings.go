package run

import (
	"fmt"
	"time"

	"github.com/quintain-rl/quintain/internal/settings"
)

// Settings are the settings of a run.
type Settings struct {
	Seed         uint64        // of the streams of problems
	GroupSize    int           // episodes of one problem
	BatchSize    int           // episodes of one training step
	MaxLag       int           // versions between the weights that sampled an episode's oldest token and those that train on it; 0 is on-policy
	Stale        Stale         // what becomes of groups beyond MaxLag
	Staleness    Staleness     // of a group
	Parallel     int           // episodes under way at once
	Steps        int           // after which the run ends; 0: no limit
	Minutes      float64       // of playing, after which the run ends; 0: no limit
	Replays      int           // of an episode after failures of the policy
	EpisodeTime  time.Duration // limit on the servers' time for all replies of an episode; 0: none
	Grace        time.Duration // for episodes under way when the run is stopped
	StepTime     time.Duration // pause of the built-in consumer before each step
	ExamProblems int           // held-out problems of each task in an evaluation; 0: no evaluations
	ExamEvery    time.Duration // between evaluations during the run; 0: none
}

// Defaults returns the default settings.
func Defaults() Settings {
	return Settings{Seed: 1, GroupSize: 8, BatchSize: 64, MaxLag: 2, Stale: StaleDrop, Staleness: StalenessOldest, Parallel: 512, Replays: 2, Grace: 30 * time.Second}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Uint64(&s.Seed, "seed", "seed of the streams of problems, of the samples of the policies tiny and script, and of the tasks of exam.set atropos").Flag("seed")
	d.Int(&s.GroupSize, "group_size", "episodes of one problem").AtLeast(1).Flag("group-size")
	d.Int(&s.BatchSize, "batch_size", "episodes of one training step; a trainer at the hub registers its own").AtLeast(1).Flag("batch-size")
	d.Int(&s.MaxLag, "max_lag", "largest age of an episode, in policy versions, when it is trained on").AtLeast(0).Flag("max-lag")
	settings.Word(d, &s.Stale, "stale", "what becomes of groups that are too old to be trained on: dropped; or withheld, so that the trace names those that ended too late").
		OneOf(string(StaleDrop), string(StaleWithhold))
	settings.Word(d, &s.Staleness, "staleness", "what max_lag bounds: the age of the oldest token of a group, or of its trained tokens in the mean").
		OneOf(string(StalenessOldest), string(StalenessMean))
	d.Int(&s.Parallel, "parallel", "episodes at once").AtLeast(1).Flag("parallel")
	d.Int(&s.Steps, "steps", "training steps before the run ends; 0: no limit").AtLeast(0).Flag("steps")
	d.Float(&s.Minutes, "minutes", "minutes of playing, from the first group on, before the run ends; 0: no limit").AtLeast(0).Flag("minutes")
	d.Int(&s.Replays, "replays", "how often an episode starts again after its server failed").AtLeast(0)
	d.Duration(&s.EpisodeTime, "episode_time", "limit on the servers' time for all replies of an episode, without their wait for room; a longer episode is timed_out: its group is dropped, and in an evaluation it has no score; 0: no limit").AtLeast(0)
	d.Duration(&s.Grace, "grace", "time for episodes under way to end when the run is stopped").AtLeast(0)
	d.Duration(&s.StepTime, "step_time", "pause of the built-in consumer before each step").AtLeast(0)
	d.Int(&s.ExamProblems, "exam_problems", "held-out problems of each task in an evaluation; 0: no evaluations").AtLeast(0).Flag("exam-problems")
	d.Duration(&s.ExamEvery, "exam_every", "time between evaluations during the run; 0: only before and after").AtLeast(0)
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	if s.BatchSize%max(1, s.GroupSize) != 0 {
		return fmt.Errorf("batch_size: is %d, want a multiple of group_size, %d", s.BatchSize, s.GroupSize)
	}
	return nil
}
