package hub

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
)

// explain answers an invalid request as Atropos does, and returns every other error in the
// form in which package web answers it.
func (r *Run) explain(c *web.Call, err error) error {
	if err == nil || c.W.Begun() {
		return err
	}
	var (
		fault  *atropos.Error
		field  *quintain.FieldError
		format *groupform.FormatError
		huge   *groupform.TooLargeError
		rival  *queue.ConflictError
	)
	switch {
	case errors.As(err, &fault):
		return r.refuse(c, fault)
	case errors.As(err, &field):
		return r.refuse(c, &atropos.Error{Type: atropos.TypeValue, Loc: []any{field.Field}, Msg: field.Why})
	case errors.As(err, &format):
		return r.refuse(c, &atropos.Error{Type: atropos.TypeValue, Loc: []any{format.Field}, Msg: format.Why})
	case errors.As(err, &huge):
		return web.Errorf(http.StatusRequestEntityTooLarge, "%v", huge)
	case errors.As(err, &rival):
		return web.Errorf(http.StatusConflict, "%v", rival)
	case errors.Is(err, queue.ErrClosed) && r.deleted.Load():
		return web.Errorf(http.StatusGone, "the run was deleted")
	case errors.Is(err, queue.ErrNoSpace):
		return web.Fault(http.StatusInsufficientStorage, err)
	}
	return err
}

// refuse answers an invalid request.
func (r *Run) refuse(c *web.Call, fault *atropos.Error) error {
	r.tally.count(func(n *counts) { n.refused++ })
	r.log.Debug("refused", "path", c.R.URL.Path, "err", fault)
	status := http.StatusUnprocessableEntity
	if fault.Type == atropos.TypeUnreadable {
		status = http.StatusBadRequest
	}
	return c.JSON(status, fault.AppendBody(nil))
}

// within returns an error if a number of a request is above most.
func within(field string, n, most int) error {
	if n <= most {
		return nil
	}
	return &atropos.Error{Type: atropos.TypeRange, Loc: []any{field}, Msg: fmt.Sprintf("Input should be at most %d", most), Input: strconv.Itoa(n)}
}

// queryError reports an invalid path or query parameter.
func queryError(name, want string) error {
	return &atropos.Error{Type: atropos.TypeValue, Loc: []any{"query", name}, Msg: "should be " + want}
}

// isCorrupt reports whether err is about an unreadable group.
func isCorrupt(err error) bool {
	var c *queue.CorruptError
	return errors.As(err, &c)
}
