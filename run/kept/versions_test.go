package kept_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/run/kept"
)

func TestVersionsAreKept(t *testing.T) {
	v := kept.Versions{Folder: filepath.Join(t.TempDir(), "weights"), Every: 10, Named: []int{3}}
	for version, want := range map[int]bool{0: true, 3: true, 5: false, 10: true, 13: false} {
		if v.Wants(version) != want {
			t.Errorf("version %d is wanted: %v", version, !want)
		}
	}
	if none := (&kept.Versions{}); none.Wants(0) {
		t.Error("version 0 is wanted though none is")
	}
	var lacks *kept.LacksError
	if _, err := v.Read(0); !errors.As(err, &lacks) || lacks.Have != nil {
		t.Errorf("nothing is kept yet: error %v", err)
	}
	for _, version := range []int{20, 3, 3} {
		if err := v.Write(version, []byte{byte(version)}); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := v.Read(20); err != nil || len(data) != 1 || data[0] != 20 {
		t.Errorf("version 20 is %v, error %v", data, err)
	}
	if _, err := v.Read(10); err == nil || !strings.Contains(err.Error(), "has no weights of version 10, but of [3 20]") {
		t.Errorf("error %v", err)
	}
}
