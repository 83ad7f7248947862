package environment

import (
	"fmt"

	"github.com/quintain-rl/quintain/settings"
)

// What becomes of playing while the policy is examined.
const (
	StopTrain  = "STOP_TRAIN"  // no group starts
	LimitTrain = "LIMIT_TRAIN" // fewer groups are under way
	NoHandling = "NONE"        // playing goes on
)

// What moves the levels of tasks; empty: nothing does, and tasks have their default
// parameters.
const (
	RandomComplexity = "random"
	Curriculum       = "curriculum"
)

// Env is the settings below "env". Fields have the meaning of the settings of their names.
type Env struct {
	GroupSize             int
	MaxNumWorkers         int // groups under way at once; 0 or less: MaxNumWorkersPerNode for each server
	MaxNumWorkersPerNode  int
	StepsPerEval          int // below 1: there are no examinations
	MaxTokenLength        int // of prompt and reply together
	EvalHandling          string
	EvalLimitRatio        float64
	InferenceWeight       float64
	BatchSize             int // sequences; below 1: as the hub says
	MaxBatchesOffpolicy   int
	TokenizerName         string
	RolloutServerURL      string
	TotalSteps            int // -1: as the hub says
	WandbName             string
	EnsureScoresDiffer    bool
	DataPathToSaveGroups  string // empty: none
	IncludeMessages       bool
	MinBatchAllocation    *float64 // nil: none
	WorkerTimeout         float64  // seconds; 0 or less: none
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

	unneeded unneeded
}

// defaultEnv returns the settings of config_init over those of the class.
func defaultEnv() Env {
	share := 0.1
	return Env{
		GroupSize: 8, MaxNumWorkers: -1, MaxNumWorkersPerNode: 8, StepsPerEval: 25, MaxTokenLength: 8192,
		EvalHandling: NoHandling, EvalLimitRatio: 0.1, InferenceWeight: 4, BatchSize: 1024, MaxBatchesOffpolicy: 3,
		TokenizerName: "NousResearch/DeepHermes-3-Llama-3-8B-Preview", RolloutServerURL: "http://localhost:8000",
		TotalSteps: 250, WandbName: "reasoning_gym_think", EnsureScoresDiffer: true, MinBatchAllocation: &share, WorkerTimeout: 600,
		Seed: 1918, MaskTooLong: true, SaveScoreThreshold: 0.51, EvalSamplesPerTask: 5, EvalSeed: 123,
		ComplexityMode: RandomComplexity, CurriculumTargetScore: 0.7,
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

// declareGroups declares how groups are played and what becomes of them.
func (e *Env) declareGroups(d *settings.Section) {
	d.Int(&e.GroupSize, "group_size", "replies of a group").AtLeast(1)
	d.Int(&e.MaxNumWorkers, "max_num_workers", "groups under way at once; 0 or less: max_num_workers_per_node for each server")
	d.Int(&e.MaxNumWorkersPerNode, "max_num_workers_per_node", "groups under way at once for each server").AtLeast(1)
	d.Int(&e.MaxTokenLength, "max_token_length", "tokens of prompt and reply together").AtLeast(1)
	d.Value(text{&e.TokenizerName}, "tokenizer_name", "the model's folder, its tokenizer.json, or its name if the cache of Hugging Face has it; none: chat completions").Null()
	d.Float(&e.WorkerTimeout, "worker_timeout", "seconds that servers may take for the replies of an episode; 0 or less: no limit")
	d.Value(truth{&e.EnsureScoresDiffer}, "ensure_scores_are_not_same", "drop groups whose scores are all equal")
	d.Value(truth{&e.MaskTooLong}, "mask_too_long_completions", "do not train on replies that a length limit cut")
	d.Value(truth{&e.IncludeMessages}, "include_messages", "send the conversations too")
	d.Value(text{&e.DataPathToSaveGroups}, "data_path_to_save_groups", "file that gets the groups as JSON lines; none: no file").Null()
	d.Value(truth{&e.DumpRollouts}, "dump_rollouts", "write groups with a score above rollout_save_score_threshold to DATA/dumps")
	d.Value(truth{&e.DumpFailedRollouts}, "dump_failed_rollouts", "write groups in which every score is 0 to DATA/dumps")
	d.Float(&e.SaveScoreThreshold, "rollout_save_score_threshold", "a score above this is worth a dump").Between(0, 1)
	d.Value(truth{&e.DebugLogging}, "debug_logging", "log as with --log-level debug")
}

// declareHub declares what the hub is told, and how its limits are obeyed.
func (e *Env) declareHub(d *settings.Section) {
	d.Text(&e.RolloutServerURL, "rollout_server_url", "address of the hub").Given("the address of the hub, such as http://localhost:8000")
	d.Value(text{&e.WandbName}, "wandb_name", "name under which the hub knows the environment; none: reasoning_gym").Null()
	d.Float(&e.InferenceWeight, "inference_weight", "share of the inference servers, relative to the weights of the other environments").AtLeast(0)
	d.Value(share{&e.MinBatchAllocation}, "min_batch_allocation", "share of each batch, 0 to 1; none: no share is kept").Null()
	d.Int(&e.BatchSize, "batch_size", "sequences of a batch, if the hub does not say it; -1: it must")
	d.Int(&e.MaxBatchesOffpolicy, "max_batches_offpolicy", "batches that may wait at the hub before playing pauses").AtLeast(1)
	d.Int(&e.TotalSteps, "total_steps", "steps of the trainer after which serve ends; groups that process writes; -1: as the hub says").AtLeast(-1)
	d.Int(&e.StepsPerEval, "steps_per_eval", "steps of the trainer between examinations; 0 or less: there are none")
	d.Text(&e.EvalHandling, "eval_handling", "what becomes of playing during an examination").OneOf(StopTrain, LimitTrain, NoHandling)
	d.Float(&e.EvalLimitRatio, "eval_limit_ratio", "share of the groups that may be under way then, with LIMIT_TRAIN").Between(0, 1)
}

// declareTasks declares what is played and examined.
func (e *Env) declareTasks(d *settings.Section) {
	d.Uint64(&e.Seed, "seed", "seed of the problems")
	d.Int(&e.EvalSamplesPerTask, "num_eval_samples_per_task", "problems of each of the 20 tasks of an examination").AtLeast(1)
	d.Uint64(&e.EvalSeed, "eval_seed", "seed of the problems of examinations")
	d.Value(text{&e.DataDirToSaveEvals}, "data_dir_to_save_evals", "folder in which evaluate keeps every conversation and the report, as with --out; none: no folder").Null()
	d.Value(text{&e.ComplexityMode}, "complexity_mode", "levels of the tasks; none: their default parameters").OneOf("", RandomComplexity, Curriculum).Null()
	d.Float(&e.CurriculumTargetScore, "curriculum_target_accuracy", "mean score that complexity_mode curriculum steers each task to").Between(0, 1)
}

// Check implements [settings.Checker].
func (e *Env) Check() error {
	if e.BatchSize > 0 && e.GroupSize > e.BatchSize {
		return fmt.Errorf("group_size: is %d, want batch_size, %d, or less", e.GroupSize, e.BatchSize)
	}
	return nil
}

// Workers is how many groups may be under way at once with a number of servers.
func (e *Env) Workers(servers int) int {
	if e.MaxNumWorkers > 0 {
		return e.MaxNumWorkers
	}
	return max(1, e.MaxNumWorkersPerNode*servers)
}
