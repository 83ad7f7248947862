package environment

import (
	"fmt"

	"github.com/quintain-rl/quintain/internal/settings"
)

// The ways to play on during an evaluation.
const (
	StopTrain  = "STOP_TRAIN"  // no group starts
	LimitTrain = "LIMIT_TRAIN" // fewer groups are in flight
	NoHandling = "NONE"        // playing goes on
)

// The ways to move the levels of tasks; empty: tasks keep their default parameters.
const (
	RandomComplexity = "random"
	Curriculum       = "curriculum"
)

// Env holds the settings below "env". Each field has the meaning of the setting of its
// name.
type Env struct {
	GroupSize             int
	MaxNumWorkers         int // groups in flight; 0 or less: MaxNumWorkersPerNode for each server
	MaxNumWorkersPerNode  int
	StepsPerEval          int // below 1: no evaluations
	MaxTokenLength        int // of prompt and reply together
	EvalHandling          string
	EvalLimitRatio        float64
	InferenceWeight       float64
	BatchSize             int // sequences; below 1: the hub decides
	MaxBatchesOffpolicy   int
	TokenizerName         string
	RolloutServerURL      string
	TotalSteps            int // -1: the hub decides
	WandbName             string
	EnsureScoresDiffer    bool
	DataPathToSaveGroups  string // empty: none
	IncludeMessages       bool
	MinBatchAllocation    *float64 // nil: none
	WorkerTimeout         float64  // seconds; 0 or less: no limit
	DumpRollouts          bool
	DumpFailedRollouts    bool
	Seed                  uint64
	DebugLogging          bool
	MaskTooLong           bool
	SaveScoreThreshold    float64
	EvalSamplesPerTask    int
	EvalSeed              uint64
	DataDirToSaveEvals    string // of evaluate; empty: none
	ComplexityMode        string
	CurriculumTargetScore float64
	Scores                string // OurScores or TheirScores

	unneeded unneeded
}

// Whose scores answers get.
const (
	OurScores   = "quintain"
	TheirScores = "reasoning-gym"
)

// defaultEnv returns the settings of config_init over those of the class.
func defaultEnv() Env {
	share := 0.1
	return Env{
		GroupSize: 8, MaxNumWorkers: -1, MaxNumWorkersPerNode: 8, StepsPerEval: 25, MaxTokenLength: 8192,
		EvalHandling: NoHandling, EvalLimitRatio: 0.1, InferenceWeight: 4, BatchSize: 1024, MaxBatchesOffpolicy: 3,
		TokenizerName: "NousResearch/DeepHermes-3-Llama-3-8B-Preview", RolloutServerURL: "http://localhost:8000",
		TotalSteps: 250, WandbName: "reasoning_gym_think", EnsureScoresDiffer: true, MinBatchAllocation: &share, WorkerTimeout: 600,
		Seed: 1918, MaskTooLong: true, SaveScoreThreshold: 0.51, EvalSamplesPerTask: 5, EvalSeed: 123,
		ComplexityMode: RandomComplexity, CurriculumTargetScore: 0.7, Scores: OurScores,
	}
}

// Declare implements [settings.Declarer].
func (e *Env) Declare(d *settings.Section) {
	e.declareGroups(d)
	e.declareHub(d)
	e.declareTasks(d)
	e.unneeded.declare(d, "max_eval_workers", "use_wandb", "num_rollouts_to_keep", "num_rollouts_per_group_for_logging",
		"min_items_sent_before_logging", "thinking_mode", "reasoning_effort", "max_reasoning_tokens",
		"custom_thinking_prompt", "suppress_base_env_logs")
}

// declareGroups declares how groups are played and used.
func (e *Env) declareGroups(d *settings.Section) {
	d.Int(&e.GroupSize, "group_size", "replies of a group").AtLeast(1)
	d.Int(&e.MaxNumWorkers, "max_num_workers", "groups in flight; 0 or less: max_num_workers_per_node for each server")
	d.Int(&e.MaxNumWorkersPerNode, "max_num_workers_per_node", "groups in flight for each server").AtLeast(1)
	d.Int(&e.MaxTokenLength, "max_token_length", "most tokens of prompt and reply together").AtLeast(1)
	d.Value(text{&e.TokenizerName}, "tokenizer_name", "the model's folder, its tokenizer.json, or its name in the cache of Hugging Face; none: chat completions").Null()
	d.Float(&e.WorkerTimeout, "worker_timeout", "server time for all replies of an episode, in seconds; 0 or less: no limit")
	d.Value(truth{&e.EnsureScoresDiffer}, "ensure_scores_are_not_same", "drop groups with equal scores")
	d.Value(truth{&e.MaskTooLong}, "mask_too_long_completions", "do not train on replies cut by a length limit")
	d.Value(truth{&e.IncludeMessages}, "include_messages", "send the conversations too")
	d.Value(text{&e.DataPathToSaveGroups}, "data_path_to_save_groups", "file for the groups as JSON lines; none: no file").Null()
	d.Value(truth{&e.DumpRollouts}, "dump_rollouts", "write groups with a score above rollout_save_score_threshold to DATA/dumps")
	d.Value(truth{&e.DumpFailedRollouts}, "dump_failed_rollouts", "write groups with only zero scores to DATA/dumps")
	d.Float(&e.SaveScoreThreshold, "rollout_save_score_threshold", "score above which a group is worth a dump").Between(0, 1)
	d.Value(truth{&e.DebugLogging}, "debug_logging", "log the problem of each group, the answer found in each reply, its form, score and reason; same as --log-level debug")
}

// declareHub declares the hub's data on the environment, and how to obey the hub's limits.
func (e *Env) declareHub(d *settings.Section) {
	d.Text(&e.RolloutServerURL, "rollout_server_url", "address of the hub").Given("the address of the hub, such as http://localhost:8000")
	d.Value(text{&e.WandbName}, "wandb_name", "name of the environment at the hub; none: reasoning_gym").Null()
	d.Float(&e.InferenceWeight, "inference_weight", "share of the inference servers, relative to the other environments").AtLeast(0)
	d.Value(share{&e.MinBatchAllocation}, "min_batch_allocation", "share of each batch, 0 to 1; none: no minimum").Null()
	d.Int(&e.BatchSize, "batch_size", "sequences per batch, unless the hub sets it; -1: the hub must")
	d.Int(&e.MaxBatchesOffpolicy, "max_batches_offpolicy", "batches that may wait at the hub before play pauses").AtLeast(1)
	d.Int(&e.TotalSteps, "total_steps", "trainer steps until serve ends; groups that process writes; -1: the hub decides").AtLeast(-1)
	d.Int(&e.StepsPerEval, "steps_per_eval", "trainer steps between evaluations; 0 or less: none")
	d.Text(&e.EvalHandling, "eval_handling", "how to play on during an evaluation").OneOf(StopTrain, LimitTrain, NoHandling)
	d.Float(&e.EvalLimitRatio, "eval_limit_ratio", "share of the groups that may be in flight during an evaluation, with LIMIT_TRAIN").Between(0, 1)
}

// declareTasks declares the problems of training and evaluation.
func (e *Env) declareTasks(d *settings.Section) {
	d.Uint64(&e.Seed, "seed", "seed of the problems")
	d.Int(&e.EvalSamplesPerTask, "num_eval_samples_per_task", "problems of each of the 20 tasks of an evaluation").AtLeast(1)
	d.Uint64(&e.EvalSeed, "eval_seed", "seed of the problems of evaluations")
	d.Value(text{&e.DataDirToSaveEvals}, "data_dir_to_save_evals", "folder in which evaluate stores all conversations and the report, same as --out; none: no folder").Null()
	d.Value(text{&e.ComplexityMode}, "complexity_mode", "levels of the tasks; none: their default parameters").OneOf("", RandomComplexity, Curriculum).Null()
	d.Text(&e.Scores, "scores", "whose scores answers get: quintain's, or those of reasoning-gym, as in Atropos").OneOf(OurScores, TheirScores)
	d.Float(&e.CurriculumTargetScore, "curriculum_target_accuracy", "mean score that complexity_mode curriculum aims at in each task").Between(0, 1)
}

// Check implements [settings.Checker].
func (e *Env) Check() error {
	if e.BatchSize > 0 && e.GroupSize > e.BatchSize {
		return fmt.Errorf("group_size: is %d, want batch_size, %d, or less", e.GroupSize, e.BatchSize)
	}
	return nil
}

// Workers returns the most groups in flight, given the number of servers.
func (e *Env) Workers(servers int) int {
	if e.MaxNumWorkers > 0 {
		return e.MaxNumWorkers
	}
	return max(1, e.MaxNumWorkersPerNode*servers)
}
