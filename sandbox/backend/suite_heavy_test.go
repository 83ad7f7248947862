//go:build heavy

package backend_test

import (
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/sandboxtest"
)

// suite is that of all sandboxes, whole.
func suite(t *testing.T, open func(t *testing.T, dir string) sandbox.Sandbox) {
	sandboxtest.Run(t, open)
}
