package main

import (
	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/interop/atropos/environment"
)

func newEnvEvaluate(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "evaluate",
		Short: "Examine the model as the environment does",
		Long: `Evaluate examines the model of openai on the fixed problems of Atropos' environment:
env.num_eval_samples_per_task of each of 20 tasks drawn by env.seed, or of --tasks. It is
quintain eval with the settings of Atropos.`,
		Example: `  quintain env evaluate --config reasoning_gym.yaml --out before`,
		Args:    noArgs,
	}
	load := w.newEnviron(c, "env evaluate")
	w.examines(c, func() (*config, string, error) {
		e, err := load()
		if err != nil {
			return nil, "", err
		}
		of, samples, failed := e.config, e.config.Exam.Samples, e.config.Exam.MaxFailed
		of.Exam, of.Policy.Sampling = environment.Exam(&e.of.Env)
		of.Exam.Samples, of.Exam.MaxFailed = samples, failed
		return of, e.of.Env.DataDirToSaveEvals, nil
	})
	return c
}
