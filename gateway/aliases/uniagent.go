package aliases

import (
	"net/http"

	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/internal/web"
)

// uniagentRoutes answers what is known of uni-agent's routes: model calls are at the addresses
// of the gateway's own sessions, and a reward comes to them beside. docs/gateway-aliases.md says
// what is not known.
func uniagentRoutes(d gateway.Door) []web.Route {
	return []web.Route{{Method: "POST", Path: "/sessions/{session}/reward_info", Serve: func(c *web.Call) error { return reward(d, c) }}}
}

// reward rewards a session as a whole, if its agent may do so.
func reward(d gateway.Door, c *web.Call) error {
	of, err := d.Agent(c)
	switch {
	case err != nil:
		return err
	case !of.AgentRewards:
		c.SkipBody()
		return web.Errorf(http.StatusForbidden, "agents may not reward their sessions here: agent_rewards is off")
	}
	in, err := gateway.Decode[struct {
		Reward *float64 `json:"reward"`
	}](c)
	if err != nil {
		return err
	}
	if in.Reward == nil {
		return web.Errorf(http.StatusUnprocessableEntity, "reward: want a number: what has no reward is not a 0")
	}
	if err := d.Reward(c.Context(), of.ID, gateway.Reward{Reward: *in.Reward}); err != nil {
		return err
	}
	return gateway.Answer(c, http.StatusOK, map[string]any{"session_id": of.ID, "reward": *in.Reward})
}
