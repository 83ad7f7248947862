package about

import (
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	if v := Version("v1.2.3"); v != "v1.2.3" {
		t.Errorf("a release is %s", v)
	}
	if v := Version("none"); v == "none" || !strings.Contains(v, "devel") && v != "unknown" && v[0] != 'v' {
		t.Errorf("a test is %s", v)
	}
}
