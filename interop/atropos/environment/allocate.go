package environment

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/quintain-rl/quintain/run/rollout"
)

// Allocate asks the hub for problems: blocks of streams that no other environment gets. If the hub
// does not know the environment, the next poll registers it.
func (l *Link) Allocate(ctx context.Context, wants []rollout.Want) ([]rollout.Block, error) {
	if !l.await(ctx) {
		return nil, context.Cause(ctx)
	}
	body, err := json.Marshal(struct {
		Env     int32          `json:"env_id"`
		Streams []rollout.Want `json:"streams"`
	}{l.envID(), wants})
	if err != nil {
		return nil, err
	}
	var reply struct {
		Shares []rollout.Block `json:"shares"`
	}
	if _, err = l.hub.ask(ctx, call{method: http.MethodPost, path: l.hub.ownPath("shares"), body: body}, &reply); err != nil {
		return nil, fmt.Errorf("the hub deals out no problems: %w", l.lose(err))
	}
	return reply.Shares, nil
}
