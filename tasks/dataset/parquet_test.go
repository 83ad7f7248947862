package dataset_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/quintain-rl/quintain/tasks/dataset"
)

// half is a half-precision number, which the library does not write by itself.
type half struct{ parquet.Type }

func (half) LogicalType() *format.LogicalType {
	return &format.LogicalType{Value: &format.Float16Type{}}
}

// first writes a file of one row, and reads it.
func first(t *testing.T, root parquet.Group, row parquet.Row, options ...parquet.WriterOption) map[string]any {
	t.Helper()
	var file bytes.Buffer
	w := parquet.NewWriter(&file, append(options, parquet.NewSchema("row", root))...)
	if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	err := dataset.Parquet(io.NewSectionReader(bytes.NewReader(file.Bytes()), 0, int64(file.Len())), func(_ int, f map[string]any) error {
		fields = f
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fields
}

func TestLogicalTypes(t *testing.T) {
	float := math.Float32frombits
	for _, test := range []struct {
		of    parquet.Node
		value parquet.Value
		want  string // {…}: Unread
	}{
		{parquet.Leaf(parquet.BooleanType), parquet.BooleanValue(true), "true"},
		{parquet.Leaf(parquet.Int32Type), parquet.Int32Value(math.MinInt32), "-2147483648"},
		{parquet.Leaf(parquet.Int64Type), parquet.Int64Value(math.MinInt64), "-9223372036854775808"},
		{parquet.Int(8), parquet.Int32Value(-7), "-7"},
		{parquet.Int(64), parquet.Int64Value(-7), "-7"},
		{parquet.Uint(8), parquet.Int32Value(200), "200"},
		{parquet.Uint(16), parquet.Int32Value(65535), "65535"},
		{parquet.Uint(32), parquet.Int32Value(-1), "4294967295"},
		{parquet.Uint(64), parquet.Int64Value(-59), "18446744073709551557"},
		{parquet.Leaf(parquet.FloatType), parquet.FloatValue(0.1), "0.1"},
		{parquet.Leaf(parquet.FloatType), parquet.FloatValue(float(0xff800000)), "{x inf}"},
		{parquet.Leaf(parquet.DoubleType), parquet.DoubleValue(math.Inf(1)), "{x inf}"},
		{parquet.Leaf(parquet.DoubleType), parquet.DoubleValue(1e300), "1e+300"},
		{parquet.Leaf(half{parquet.FixedLenByteArrayType(2)}), parquet.FixedLenByteArrayValue([]byte("28")), "0.5244140625"},
		{parquet.Leaf(half{parquet.FixedLenByteArrayType(2)}), parquet.FixedLenByteArrayValue([]byte{1, 0x80}), "-5.960464477539063e-08"},
		{parquet.Leaf(half{parquet.FixedLenByteArrayType(2)}), parquet.FixedLenByteArrayValue([]byte{0, 0x7c}), "{x inf}"},
		{parquet.Date(), parquet.Int32Value(19782), "2024-02-29"},
		{parquet.Date(), parquet.Int32Value(-1), "1969-12-31"},
		{parquet.Time(parquet.Millisecond), parquet.Int32Value(1), "{x TIME(isAdjustedToUTC=true,unit=MILLIS)}"},
		{parquet.Time(parquet.Nanosecond), parquet.Int64Value(1), "{x TIME(isAdjustedToUTC=true,unit=NANOS)}"},
		{parquet.Timestamp(parquet.Microsecond), parquet.Int64Value(1), "{x TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)}"},
		{parquet.Leaf(parquet.Int96Type), parquet.Int96Value(deprecated.Int96{1, 2, 3}), "{x INT96 without a logical type}"},
		{parquet.IntervalNode(), parquet.FixedLenByteArrayValue(make([]byte, 12)), "{x the converted type 21 of FIXED_LEN_BYTE_ARRAY}"},
		{parquet.Decimal(2, 9, parquet.Int32Type), parquet.Int32Value(-5), "-0.05"},
		{parquet.Decimal(2, 18, parquet.Int64Type), parquet.Int64Value(123456789012345678), "1234567890123456.78"},
		{parquet.Decimal(0, 18, parquet.Int64Type), parquet.Int64Value(-12), "-12"},
		{parquet.Decimal(2, 38, parquet.FixedLenByteArrayType(16)), parquet.FixedLenByteArrayValue(append(bytes.Repeat([]byte{255}, 15), 0x6a)), "-1.50"},
		{parquet.Decimal(3, 38, parquet.ByteArrayType), parquet.ByteArrayValue([]byte{0, 150}), "0.150"},
		{parquet.Decimal(30, 38, parquet.ByteArrayType), parquet.ByteArrayValue([]byte{1}), "0." + strings.Repeat("0", 29) + "1"},
		{parquet.UUID(), parquet.FixedLenByteArrayValue([]byte("0123456789abcdef")), "30313233-3435-3637-3839-616263646566"},
		{parquet.String(), parquet.ByteArrayValue([]byte("é")), "é"},
		{parquet.Enum(), parquet.ByteArrayValue([]byte("a")), "a"},
		{parquet.JSON(), parquet.ByteArrayValue([]byte(`{"a":1}`)), `{"a":1}`},
		{parquet.BSON(), parquet.ByteArrayValue([]byte("a")), "{x BSON}"},
		{parquet.Leaf(parquet.ByteArrayType), parquet.ByteArrayValue([]byte("a")), "a"},
		{parquet.String(), parquet.ByteArrayValue([]byte{0xe9}), "{x a text that is not UTF-8}"},
		{parquet.Leaf(parquet.FixedLenByteArrayType(2)), parquet.FixedLenByteArrayValue([]byte("28")), "{x FIXED_LEN_BYTE_ARRAY without a logical type}"},
	} {
		if got := fmt.Sprint(first(t, parquet.Group{"x": test.of}, parquet.Row{test.value.Level(0, 0, 0)})["x"]); got != strings.NewReplacer("{x ", "column x holds ", "}", ", which is not read: write it as text in UTF-8").Replace(test.want) && got != test.want {
			t.Errorf("%v: %s, want %s", test.of, got, test.want)
		}
		nested := parquet.Group{"x": parquet.Optional(parquet.Group{"y": parquet.List(test.of)}), "z": parquet.String()}
		row := parquet.Row{test.value.Level(0, 2, 0), test.value.Level(1, 2, 0), parquet.ByteArrayValue([]byte("end")).Level(0, 0, 1)}
		want := fmt.Sprintf("map[y:[%s %[1]s]]", test.want)
		if kind, ok := strings.CutPrefix(test.want, "{x "); ok {
			want = "column x.y.list.element holds " + strings.TrimSuffix(kind, "}") + ", which is not read: write it as text in UTF-8"
		}
		got := first(t, nested, row)
		if fmt.Sprint(got["x"]) != want || got["z"] != "end" {
			t.Errorf("%v within others: %v, want %s", test.of, got, want)
		}
	}
}

func TestWhatIsMissing(t *testing.T) {
	nan := parquet.DoubleValue(math.NaN())
	root := parquet.Group{"a": parquet.Leaf(parquet.DoubleType), "b": parquet.List(parquet.Leaf(parquet.DoubleType)), "c": parquet.Optional(parquet.List(parquet.String())), "d": parquet.Repeated(parquet.Int(32)), "e": parquet.Map(parquet.Int(64), parquet.Optional(parquet.Date()))}
	row := parquet.Row{
		nan.Level(0, 0, 0), nan.Level(0, 1, 1), parquet.NullValue().Level(0, 0, 2), parquet.NullValue().Level(0, 0, 3),
		parquet.Int64Value(7).Level(0, 1, 4), parquet.Int64Value(8).Level(1, 1, 4), parquet.Int32Value(0).Level(0, 2, 5), parquet.NullValue().Level(1, 1, 5),
	}
	got := fmt.Sprint(first(t, root, row))
	want := "map[a:<nil> b:column b.list.element holds NaN, which is not read: write it as text in UTF-8 c:<nil> d:[] e:map[7:1970-01-01 8:<nil>]]"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestDurationsOfArrow(t *testing.T) {
	// pyarrow 26: {"x": duration("us"), "y": list<duration("s")>, "z": int64}
	const schema = "/////wgBAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAMAAACoAAAAPAAAAAQAAAB0////AAABAhAAAAAcAAAABAAAAAAAAAABAAAAegAAAAgADAAIAAcACAAAAA" +
		"AAAAFAAAAAqP///wAAAQwUAAAAHAAAAAQAAAABAAAAFAAAAAEAAAB5AAAABAAEAAQAAADU////AAABEhAAAAAYAAAABAAAAAAAAAAEAAAAaXRlbQAAAADK////AAAAABAAFAAIAAYABwAMAAAAEAAQ" +
		"AAAAAAABEhAAAAAYAAAABAAAAAAAAAABAAAAeAAGAAgABgAGAAAAAAACAAAAAAA="
	root := parquet.Group{"x": parquet.Int(64), "y": parquet.List(parquet.Int(64)), "z": parquet.Int(64)}
	seven := parquet.Int64Value(7)
	row := parquet.Row{seven.Level(0, 0, 0), seven.Level(0, 1, 1), seven.Level(0, 0, 2)}
	const want = "map[x:column x holds a duration of Arrow, which is not read: write it as text in UTF-8 y:column y.list.element holds a duration of Arrow, which is not read: write it as text in UTF-8 z:7]"
	if got := fmt.Sprint(first(t, root, row, parquet.KeyValueMetadata("ARROW:schema", schema))); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	message, err := base64.StdEncoding.DecodeString(schema)
	if err != nil {
		t.Fatal(err)
	}
	for at := range message { // damaged anywhere, it adds nothing or something else, and ends
		message[at] ^= 0x55
		first(t, root, row, parquet.KeyValueMetadata("ARROW:schema", base64.StdEncoding.EncodeToString(message)))
		message[at] ^= 0x55
	}
}
