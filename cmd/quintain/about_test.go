package main

import (
	"strings"
	"testing"
)

func TestVersionOf(t *testing.T) {
	if v := versionOf("v1.2.3"); v != "v1.2.3" {
		t.Errorf("a release is %s", v)
	}
	if v := versionOf("none"); v == "none" || !strings.Contains(v, "devel") && v != "unknown" && v[0] != 'v' {
		t.Errorf("a test is %s", v)
	}
}
