package rollout

// A Drop is the reason for dropping a group.
type Drop string

// The reasons for dropping a group.
const (
	DropCancelled  Drop = "cancelled"          // an episode was cancelled; the problem is played again
	DropEnvFailed  Drop = "env_failed"         // an episode's environment failed
	DropInfra      Drop = "infra_failed"       // an episode's policy failed
	DropTimedOut   Drop = "timed_out"          // an episode took too long; the problem is not played again
	DropPrompt     Drop = "prompt_too_long"    // the problem leaves no room for a reply; it is not played again
	DropEqual      Drop = "equal_scores"       // all scores that are trained on are equal
	DropRate       Drop = "success_rate"       // too few or too many episodes have a right reply
	DropFewTokens  Drop = "too_few_tokens"     // an episode has too few trainable tokens
	DropTooLong    Drop = "too_long"           // a sequence has too many tokens
	DropMixedVocab Drop = "mixed_vocabularies" // the episodes have different vocabularies
	DropDuplicate  Drop = "duplicate"          // the queue already has a group of this problem
	DropStale      Drop = "stale"              // it waited too long and exceeded the staleness bound
	DropWithheld   Drop = "withheld"           // the same, in a run that withholds such groups
	DropRefused    Drop = "refused"            // the trainer or the hub refuses it
	DropUnrewarded Drop = "unrewarded"         // an agent's session got no reward in time
	DropIncomplete Drop = "incomplete"         // sessions of the group were never made, or did not end
	DropUngraded   Drop = "ungraded"           // an episode has no verdict yet; the group may be judged later
	DropForfeited  Drop = "forfeited"          // other seats of the matches gave them up: the episodes are paid for nothing
	DropUnsure     Drop = "unsure"             // it was sent, the reply was lost, and sending it again might double it
)

// Setting names the setting that decides on the reason, or what else to look at; empty: nothing does.
func (d Drop) Setting() string {
	switch d {
	case DropEqual:
		return "rules.keep_equal"
	case DropRate:
		return "rules.success_rate_lb, rules.success_rate_ub"
	case DropFewTokens:
		return "rules.min_trainable"
	case DropTooLong:
		return "rules.max_sequence"
	case DropTimedOut:
		return "run.episode_time"
	case DropPrompt:
		return "policy.sampling.max_tokens"
	case DropStale, DropWithheld:
		return "run.max_lag"
	case DropUnrewarded:
		return "gateway.reward_within"
	case DropIncomplete:
		return "gateway.group_within"
	}
	return ""
}
