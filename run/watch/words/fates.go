package words

import (
	"cmp"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/rollout"
)

// Dropped explains the reason for dropping a group to a reader who knows none of the
// words; empty: it is no reason of ours.
func Dropped(reason string) string {
	switch rollout.Drop(reason) {
	case rollout.DropEqual:
		return "all replies scored alike, so none is better than another and there is nothing to learn from them"
	case rollout.DropStale:
		return "when their turn came, the policy had made too many steps since these replies"
	case rollout.DropWithheld:
		return "when they ended, or when their turn came, the policy had made too many steps since; the run withholds such groups"
	case rollout.DropRate:
		return "too few or too many replies were right, by the bounds of the settings"
	case rollout.DropFewTokens:
		return "a reply has too few tokens to train on"
	case rollout.DropTooLong:
		return "a reply has more tokens than the settings allow"
	case rollout.DropMixedVocab:
		return "the replies are of different vocabularies"
	case rollout.DropDuplicate:
		return "the queue already had a group of the same problem"
	case rollout.DropPrompt:
		return "the prompt leaves no room for a reply"
	case rollout.DropEnvFailed:
		return "the environment failed in an episode, which so has no score"
	case rollout.DropInfra:
		return "the policy's server failed in an episode, which so has no score; the problem is played again"
	case rollout.DropTimedOut:
		return "an episode took longer than the settings allow"
	case rollout.DropCancelled:
		return "an episode was stopped before its end, as at the end of a run; the problem is played again"
	case rollout.DropUngraded:
		return "the judge gave no verdict; they may be judged later"
	case rollout.DropRefused:
		return "the trainer or the hub refused them"
	case rollout.DropUnsure:
		return "they were sent and the answer was lost; sending them again might double them"
	}
	return ""
}

// Where tells where to look for the cause of an outcome.
func Where(o quintain.Outcome) string {
	switch o {
	case quintain.EnvFailed:
		return "The environment failed: see the log of the task or scenario, and the group's problem."
	case quintain.InfraFailed:
		return "The policy's server or the connection to it failed: see the server's log at this time, and test it with quintain policy probe."
	case quintain.PromptTooLong:
		return "The prompt alone fills the policy's context: choose shorter problems, or serve the model with a longer context."
	case quintain.Ungraded:
		return "The judge's server failed, or nobody could read what it wrote: once it answers, quintain judge resume judges the group."
	case quintain.TimedOut:
		return "Replies exceeded their time limit: see the length of replies and the server's load."
	}
	return "The episode was stopped early, as at the end of a run."
}

// Cause is the common part of similar errors: the first line, with 0 for every number.
func Cause(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	var b strings.Builder
	digits := false
	for _, r := range first {
		is := r >= '0' && r <= '9'
		switch {
		case !is:
			b.WriteRune(r)
		case !digits:
			b.WriteByte('0')
		}
		digits = is
	}
	return cmp.Or(b.String(), "unknown reason")
}
