// Package gateway lets programs elsewhere play episodes. An agent calls its model through
// the interface of OpenAI or Anthropic, at an address and with a key of its own; each call
// is a turn of its session, kept token by token. A session ends with a reward or without
// one, and sessions of one problem make a group.
//
// A session is a [quintain.Env] turned inside out: the agent asks, the policy answers. What
// an agent asks need not be a line: it asks twice at once, goes back, begins anew with a
// summary. So the turns of a session are a tree, see [quintain.Call].
package gateway
