package environment

import (
	"cmp"
	"context"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/interop/export"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/rollout/curriculum"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// RunSettings returns the settings of the run itself.
func RunSettings(of *Settings) run.Settings {
	s, e := run.Defaults(), &of.Env
	s.Seed, s.GroupSize, s.BatchSize = e.Seed, e.GroupSize, e.GroupSize
	s.Parallel = e.Workers(len(of.Servers)) * e.GroupSize
	s.EpisodeTime = seconds(max(0, e.WorkerTimeout))
	return s
}

// seconds converts seconds to a duration.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Rules returns the rules for groups.
func Rules(e *Env) rollout.Rules {
	r := rollout.DefaultRules()
	r.Estimator, r.KeepEqual, r.MaskTooLong, r.LengthBudget = rollout.None, !e.EnsureScoresDiffer, e.MaskTooLong, e.MaxTokenLength
	r.CompareAll, r.MinTrainable = true, 10
	return r
}

// Dumps returns which rollouts to dump.
func Dumps(e *Env) export.DumpSettings {
	return export.DumpSettings{Rollouts: e.DumpRollouts, Failed: e.DumpFailedRollouts, Threshold: e.SaveScoreThreshold}
}

// Sampling returns the sampling of replies.
func Sampling(e *Env) quintain.Sampling {
	return quintain.Sampling{Temperature: 1, TopP: 0.95, MaxTokens: e.MaxTokenLength, MaxTotal: e.MaxTokenLength}
}

// CurriculumOf returns s with the mode and the target of the environment.
func CurriculumOf(e *Env, s curriculum.Settings) curriculum.Settings {
	s.Target = e.CurriculumTargetScore
	switch e.ComplexityMode {
	case RandomComplexity:
		s.Mode = curriculum.Random
	case Curriculum:
		s.Mode = curriculum.Adaptive
	default:
		s.Mode = curriculum.None
	}
	return s
}

// Tasks returns the tasks to play if none is chosen: all with their default parameters, or
// nil: all with their levels.
func Tasks(e *Env) (all catalog.Choices) {
	if e.ComplexityMode != "" {
		return nil
	}
	for _, t := range catalog.Tasks() {
		all = append(all, catalog.Choice{Name: t.Info().Name, Params: []byte("{}"), Weight: 1})
	}
	return all
}

// Score makes a scenario give the scores of the environment. It leaves the scenario's own scores
// if the environment has none but ours.
func Score(e *Env, scenario *catalog.ScenarioChoice) {
	if e.Scores == TheirScores {
		if err := scenario.Set("reasoning_gym:scores=" + TheirScores); err != nil {
			panic(err)
		}
	}
}

// Exam returns the settings of evaluations and the sampling of their replies.
func Exam(e *Env) (exam.Settings, quintain.Sampling) {
	most := 2 * e.MaxTokenLength
	return exam.Settings{Rule: exam.AtroposRule, Problems: e.EvalSamplesPerTask, Seed: e.EvalSeed, Split: exam.BothSides},
		quintain.Sampling{Temperature: atropos.EvalTemperature, TopP: 1, MaxTokens: most, MaxTotal: most}
}

// Exams returns Atropos' fixed evaluation in a scenario, which a link requests; nil: none.
func Exams(ctx context.Context, e *Env, scenario *catalog.ScenarioChoice, link *Link) (*run.Exams, error) {
	if e.StepsPerEval < 1 {
		return nil, nil
	}
	all, err := task.NewSet(catalog.Tasks())
	if err != nil {
		return nil, err
	}
	of, err := catalog.AtroposTasks(all, e.Seed).Streams(all, scenario, e.Seed)
	if err != nil {
		return nil, err
	}
	which, how := Exam(e)
	sets, err := exam.NewSets(ctx, of, which)
	return &run.Exams{Sets: sets, Sampling: how, Due: link.ExamDue(), Hold: link.Hold}, err
}

// defaultName is the name of a nameless environment.
const defaultName = "reasoning_gym"

// Uplink returns the config of the link to the environment's hub.
func Uplink(of *Settings) LinkConfig {
	e := &of.Env
	c := LinkConfig{
		URL: e.RolloutServerURL,
		Registration: Registration{
			Name: cmp.Or(e.WandbName, defaultName), MaxTokenLength: e.MaxTokenLength, Weight: e.InferenceWeight,
			GroupSize: e.GroupSize, Minimum: e.MinBatchAllocation,
		},
		Limits: LinkLimits{
			GroupSize: e.GroupSize, BatchSize: e.BatchSize, OffPolicy: e.MaxBatchesOffpolicy, Minimum: e.MinBatchAllocation,
			Workers: e.Workers(len(of.Servers)), Requests: of.Servers.Requests(), NoExamHold: e.EvalHandling == NoHandling,
		},
		TotalSteps: e.TotalSteps, EvalEvery: e.StepsPerEval,
	}
	if e.EvalHandling == LimitTrain {
		c.Limits.ExamShare = e.EvalLimitRatio
	}
	return c
}
