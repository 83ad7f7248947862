package flags

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/settings"
)

// former says what sets the setting that a flag without a declaration was, or could be, named
// after; empty: none of the command's settings.
func former(c *cobra.Command, flag string) string {
	if key := ofScenario(flag); key != "" && c.Flags().Lookup("scenario") != nil {
		return "use --scenario " + key + "=…"
	}
	w, has := lookWith(c)
	if !has {
		return ""
	}
	path := irregular()[flag]
	for old, key := range Former() {
		if old == path || flag == dashed(strings.TrimPrefix(old, "scenario.")) {
			path = key
		}
	}
	if settings.InWords(path) {
		return path
	}
	path, start, _ := strings.Cut(path, "=")
	for _, s := range w.form.Settings() {
		section, last, below := strings.Cut(s.Path(), ".")
		last = last[strings.LastIndexByte(last, '.')+1:]
		if path == "" && s.FlagName() == "" && below &&
			(dashed(s.Path()) == flag || !slices.Contains(prefixed(), section) && dashed(last) == flag || initials(dashed(last)) == flag) { // learn.clip, run.grace, lr
			path = s.Path()
		}
	}
	s, err := w.form.Find(path)
	if err != nil {
		return ""
	}
	if start != "" {
		return "use " + spelled(s) + " " + start + "…"
	}
	return "use " + spelled(s)
}

// spelled returns how a setting is given on the command line.
func spelled(s *settings.Setting) string {
	if name := s.FlagName(); name != "" {
		return "--" + name
	}
	return "--" + withFlag + " " + s.Path() + "=…"
}

// lookWith returns the flag --with of c.
func lookWith(c *cobra.Command) (w with, has bool) {
	if flag := c.Flags().Lookup(withFlag); flag != nil {
		w, has = flag.Value.(with)
	}
	return w, has
}

// prefixed lists the sections whose flags began with their name.
func prefixed() []string {
	return []string{"teacher", "curriculum", "gateway", "fleet", "model", "learn", "columns", "environment", "agent", "sandbox", "sessions", "judge"}
}

// irregular returns the settings of the flags that were named otherwise than their keys.
func irregular() map[string]string {
	return map[string]string{
		"policy-key-file": "policy.key_file", "max-tokens-each": "hub.max_tokens", "worker-name": "worker.name", "worker-journal": "worker.journal",
		"archive": "trace.archive", "atropos-compat": "hub.atropos_compat", "dump-rollouts": "dumps.rollouts", "dump-failed": "dumps.failed", "log-format": "log.format", "trace-max-bytes": "trace.max_bytes",
		"otlp-url": "otlp.url", "otlp-ratio": "otlp.ratio", "scores": "serve.scores", "verbose": "log.level", "quiet": "log.level",
		"scenario-command": "program.command", "scenario-url": "program.url", "debug": "log.level",
	}
}

// Former returns the keys that there were, and what is used in their place: a key, KEY=VALUE with
// the beginning of a value, or words. It is for [settings.Sources].
func Former() map[string]string {
	all := map[string]string{
		"scenario.name": "scenario", "scenario.judge": "judge", "gateway.max_calls": "sessions.calls", "gateway.max_tokens": "sessions.tokens",
		"gateway.agent_rewards": "sessions.rewards", "sandbox.url": "sandbox.backend",
	}
	all["gateway.dialects"] = "use --with gateway.areal=true for AReaL's routes, and move from the others: docs/gateway-others.md"
	all["hub.atropos_compat"] = "leave it out: the hub packs the oldest groups first, and no longer as run-api does (docs/hub.md)"
	all["trace.archive"] = "use a copier of files such as rclone: docs/backup.md"
	for _, key := range []string{"python", "python_sha256", "cache", "jobs", "command", "command_end"} {
		all["sandbox."+key] = "use --sandbox URL, the address of quintain sandbox serve: docs/sandbox.md"
	}
	for _, key := range []string{"seconds", "idle", "parallel", "guided", "tool_format"} {
		all["gateway."+key] = "sessions." + key
	}
	for _, key := range []string{"seconds", "idle", "calls", "tokens", "parallel", "rewards", "guided", "tool_format"} {
		all["scenario.agent."+key] = "sessions." + key
	}
	for _, section := range []string{"", "scenario."} {
		all[section+"program.command"], all[section+"program.url"], all[section+"agent.command"] = "environment.address=command:", "environment.address=http:", "environment.address=agent:"
		for _, key := range []string{"processes", "episodes", "max_turns", "answer_time", "max_bytes", "restarts"} {
			all[section+"program."+key] = "environment." + key
		}
	}
	for _, key := range []string{"processes", "pass", "leave"} {
		all["scenario.agent."+key] = "agent." + key
	}
	for _, of := range scenarios() {
		for _, key := range strings.Fields(of.keys) {
			all["scenario."+of.name+"."+key] = "scenario=" + of.name + ":" + key + "="
		}
	}
	return all
}

// A formerScenario is a scenario whose settings had flags.
type formerScenario struct{ name, keys, flags string } // flags: their beginning

// scenarios lists the scenarios whose settings had flags.
func scenarios() []formerScenario {
	all := []formerScenario{
		{"reasoning_gym", "short_prompts scores", ""},
		{"math_multi_turn", "mode num_turns all_attempts reward_bias reward_scaling system_prompt feedback feedback_right feedback_wrong feedback_none", ""},
		{"math_multi_turn", "short_prompts", "math-"},
		{"python_tool", "form calls seconds memory output stateless", "python-"},
		{"code", "num_turns scoring join time_factor", "code-"},
	}
	for _, game := range strings.Fields("blackjack_table chess_endgame coin_weighing connect_small guess_number k_in_a_row liars_dice mastermind matrix_duel " +
		"minesweeper_play nim_family pawn_race rooms sliding_play slippery_grid small_poker sokoban_play wordle_play") {
		all = append(all, formerScenario{game, "reward players short_prompts", dashed(game) + "-"})
	}
	return all
}

// ofScenario returns the setting of a scenario, NAME:KEY, that a flag was for; empty: none.
func ofScenario(flag string) string {
	for _, of := range scenarios() {
		for _, key := range strings.Fields(of.keys) {
			if flag == of.flags+dashed(key) {
				return of.name + ":" + key
			}
		}
	}
	return ""
}

// dashed returns a key as in the name of a flag.
func dashed(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "_", "-"), ".", "-")
}
