package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/settings/flags"
	"github.com/quintain-rl/quintain/prove"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/exam/examform"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/tasks/list"
	"github.com/quintain-rl/quintain/trace"
)

// A wordList returns the words that complete what is typed.
type wordList = func(typed string) []string

// among completes to some words.
func among(words ...string) wordList {
	return func(typed string) []string {
		return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.HasPrefix(w, typed) })
	}
}

// commaList completes the last of several words with commas.
func commaList(words ...string) wordList {
	return func(typed string) []string {
		before := typed[:strings.LastIndex(typed, ",")+1]
		found := among(words...)(typed[len(before):])
		for i := range found {
			found[i] = before + found[i]
		}
		return found
	}
}

// mostGroups is how many groups are offered.
const mostGroups = 100

// groupIDs completes to the groups of the trace in --data, the newest first.
func groupIDs(c *cobra.Command, args []string, typed string) (ids []cobra.Completion, how cobra.ShellCompDirective) {
	how = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	r, err := trace.OpenRuns(strings.Split(c.Flag("data").Value.String(), ",")...)
	if err != nil || len(args) > 0 {
		return nil, how
	}
	for _, e := range r.Find(trace.Query{Newest: true}) {
		if strings.HasPrefix(e.Group, typed) && !slices.Contains(ids, e.Group) && len(ids) < mostGroups {
			ids = append(ids, e.Group)
		}
	}
	return ids, how
}

// flagWords are the words of flags that are no settings, by verb and flag.
func flagWords() map[string]map[string]wordList {
	names := among("quintain", "reasoning-gym")
	split := among(string(exam.TrainedSide), string(exam.HeldOutSide), string(exam.BothSides))
	var outcomes, forms, categories, scorings, checks []string
	for _, o := range quintain.Outcomes {
		outcomes = append(outcomes, string(o))
	}
	for _, f := range examform.Forms() {
		forms = append(forms, f.Name)
	}
	for _, c := range prove.Checks() {
		checks = append(checks, c.ID)
	}
	for _, c := range catalog.Categories() {
		categories = append(categories, c.Name)
	}
	for _, s := range list.Scorings {
		scorings = append(scorings, s.Word)
	}
	compares := among(string(codegrade.Exact), string(codegrade.Trim), string(codegrade.Lines), string(codegrade.Tokens), string(codegrade.LCB))
	drops := []string{"kept", "dropped"}
	for _, d := range []rollout.Drop{
		rollout.DropEqual, rollout.DropRate, rollout.DropFewTokens, rollout.DropTooLong, rollout.DropMixedVocab, rollout.DropDuplicate, rollout.DropStale, rollout.DropWithheld, rollout.DropRefused, rollout.DropUnsure,
		rollout.DropUnrewarded, rollout.DropIncomplete, rollout.DropUngraded, rollout.DropForfeited, rollout.DropCancelled, rollout.DropEnvFailed, rollout.DropInfra, rollout.DropTimedOut, rollout.DropPrompt,
	} {
		drops = append(drops, string(d))
	}
	groups := map[string]wordList{"task": catalog.CompleteTask, "scenario": catalog.CompleteScenario, "outcome": among(outcomes...), "drop": among(drops...)}
	return map[string]map[string]wordList{
		"trace list": groups, "export": groups,
		"tasks export": {"task": catalog.CompleteTask, "format": names, "split": split}, "tasks list": {"category": among(categories...), "scoring": commaList(scorings...)},
		"grade": {"format": names, "scores": names}, "scenarios show": {"task": catalog.CompleteTask},
		"prove": {"format": among("text", "json"), "only": commaList(checks...), "task": catalog.CompleteTask}, "eval": {"format": among(forms...)}, "env evaluate": {"format": among(forms...)}, "dataset check": {"compare": compares}, "regrade": {"format": among("table", "records", "json")},
	}
}

// completes gives the verbs below root words for what is no setting: flags with few values, tasks and keys as arguments, and
// folders; a verb without arguments offers no files.
func completes(root *cobra.Command) {
	arguments := map[string]wordList{"prove": catalog.CompleteTask, "scenarios check": catalog.CompleteTask, "settings": settingKeys}
	byFlag := flagWords()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		path := strings.TrimPrefix(c.CommandPath(), root.Name()+" ")
		for flag, words := range byFlag[path] {
			_ = c.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return words(typed), cobra.ShellCompDirectiveNoFileComp
			})
		}
		if c.Flags().Lookup("only") != nil && path != "prove" {
			_ = c.RegisterFlagCompletionFunc("only", groupIDs)
		}
		_, argument, _ := strings.Cut(c.Use, " ")
		switch words := arguments[path]; {
		case words != nil:
			c.ValidArgsFunction = flags.Complete(words)
		case c.ValidArgsFunction != nil || len(c.ValidArgs) > 0 || c.HasSubCommands():
		case strings.HasPrefix(argument, "GROUP"):
			c.ValidArgsFunction = groupIDs
		case argument == "":
			c.ValidArgsFunction = cobra.NoFileCompletions
		case strings.HasPrefix(argument, "DIR") || strings.HasPrefix(argument, "FOLDER"):
			c.ValidArgsFunction = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

// settingKeys are the keys of all settings that begin as typed.
func settingKeys(typed string) (keys []string) {
	for _, s := range settings.New(defaults(player.Tiny)).Settings() {
		if strings.HasPrefix(s.Path(), typed) {
			keys = append(keys, s.Path())
		}
	}
	return keys
}
