package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/policy/weights"
)

// tellVersion sets the version of the weights in use by the policy's server.
func (a v1API) tellVersion(c *web.Call) error {
	version, err := readShort(c, atropos.DecodeVersion)
	if err != nil {
		return err
	}
	err = a.Tell(context.WithoutCancel(c.Context()), version)
	if fall, is := errors.AsType[*weights.FallError](err); is {
		return web.Errorf(http.StatusConflict, "%v", fall)
	}
	if err != nil {
		return err
	}
	return a.showVersion(c)
}

// version shows the version, and waits until it exceeds a number if the client asks.
func (a v1API) version(c *web.Call) error {
	c.SkipBody()
	after, err := strconv.ParseInt(cmp.Or(c.R.URL.Query().Get("after"), "-1"), 10, 64)
	if err != nil || after < weights.Unknown || after > math.MaxInt32 {
		return queryError("after", "a version, or -1")
	}
	wait, err := waitOf(c.R)
	if err != nil {
		return err
	}
	c.Waits = wait > 0
	end := time.NewTimer(wait)
	defer end.Stop()
	for wait > 0 {
		changed := a.weights.Changed()
		if int64(a.weights.Now()) > after {
			break
		}
		select {
		case <-changed:
			continue
		case <-end.C:
		case <-c.Context().Done():
		case <-a.server.web.Stopping():
		}
		break
	}
	return a.showVersion(c)
}

// showVersion answers with the version, and the steps to compare it with.
func (a v1API) showVersion(c *web.Call) error {
	acked, _ := a.Acked()
	return c.JSON(http.StatusOK, fmt.Appendf(nil, `{"version":%d,"acked":%d,"step":%d}`, a.Version(), acked, a.Step()))
}
