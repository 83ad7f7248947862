package uplink

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/run/rollout"
)

// Deal asks the hub for problems: blocks of streams that no other environment gets. If the hub
// does not know the environment, the next poll registers it.
func (l *Link) Deal(ctx context.Context, wants []rollout.Want) ([]rollout.Block, error) {
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
	a, err := l.hub.do(ctx, call{method: http.MethodPost, path: l.hub.ownPath("shares"), body: body})
	if err != nil {
		return nil, l.lose(err)
	}
	var reply struct {
		Shares []rollout.Block `json:"shares"`
	}
	if a.status != http.StatusOK {
		return nil, fmt.Errorf("the hub deals out no problems: status %d: %s", a.status, a.text())
	}
	return reply.Shares, strictjson.Unmarshal(a.body, &reply)
}
