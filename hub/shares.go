package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/quintain-rl/quintain/hub/registry"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/atropos"
)

// Limits of a request for problems.
const (
	mostWants  = 4096
	mostName   = 1024    // bytes
	mostBlock  = 1 << 20 // problems
	mostNumber = 1 << 40 // of a problem
)

// A sharesBody asks for blocks of streams.
type sharesBody struct {
	Env   *int            `json:"env_id"`
	Wants []registry.Want `json:"streams"`
}

// decodeShares reads a request for problems.
func decodeShares(data []byte) (in sharesBody, err error) {
	if err := decodeFields(data, &in); err != nil {
		return in, err
	}
	fault := func(msg string, loc ...any) error { return &atropos.Error{Type: atropos.TypeValue, Loc: loc, Msg: msg} }
	switch {
	case in.Env == nil:
		return in, fault("is missing", "env_id")
	case len(in.Wants) == 0 || len(in.Wants) > mostWants:
		return in, fault(fmt.Sprintf("should be 1 to %d", mostWants), "streams")
	}
	for i, w := range in.Wants {
		switch {
		case w.Stream == "" || len(w.Stream) > mostName:
			return in, fault(fmt.Sprintf("should be a name of 1 to %d bytes", mostName), "streams", i, "stream")
		case w.Least < 0 || w.Least > mostNumber:
			return in, fault(fmt.Sprintf("should be 0 to %d", mostNumber), "streams", i, "least")
		case w.Count < 1 || w.Count > mostBlock:
			return in, fault(fmt.Sprintf("should be 1 to %d", mostBlock), "streams", i, "count")
		}
	}
	return in, nil
}

// dealShares deals out problems to an environment.
func (a v1API) dealShares(c *web.Call) error {
	in, err := readShort(c, decodeShares)
	if err != nil {
		return err
	}
	blocks, err := a.share(c.Context(), envID(*in.Env), in.Wants)
	if err != nil {
		return err
	}
	body, err := jsonform.Marshal(map[string][]registry.Block{"shares": blocks})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, body)
}

// share deals out problems to an environment.
func (r *Run) share(ctx context.Context, id int32, wants []registry.Want) ([]registry.Block, error) {
	d, err := r.trade.deal(ctx) // no reset meanwhile
	if err != nil {
		return nil, err
	}
	defer d.end()
	e := r.registry.Env(id)
	if e == nil {
		return nil, errNoEnv()
	}
	r.registry.Hear(id)
	instance := e.Instance
	if instance == "" {
		instance = e.RealName()
	}
	blocks, err := r.shares.Deal(d, instance, wants)
	if errors.Is(err, registry.ErrStreams) {
		return nil, web.Errorf(http.StatusConflict, "%v: reset the run", err)
	}
	return blocks, err
}
