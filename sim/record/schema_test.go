package record

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/parquet/file"
)

// The columns that FORMATS promises, in its order; others may only follow.
func TestColumnsAreTheContract(t *testing.T) {
	for table, promised := range map[Table]string{
		Tasks: `task class group home data_home room option available reason submit_s start_s finish_s transfer_s image_s input_s result_s queue_s compute_s save_s lost_s restart_s blocked_s
interruptions bytes_moved cost_transfer cost_compute cost_storage cost_time cost_total cost_cash network_share network_share_cash data_compute_ratio_gb_h estimate_total status`,
		Decisions: `task option room route estimate_transfer_s estimate_queue_s estimate_compute_s estimate_fee estimate_compute estimate_time estimate_interruption
estimate_total gate chosen margin`,
		Transfers: `task purpose from to bytes requested_s start_s finish_s latency_s mean_rate_bytes_s cost reserved`,
		Attempts:  `task attempt room pool start_s end_s work_s saved_s lost_s end_reason`,
	} {
		names := columnNames(table)
		for i, want := range strings.Fields(promised) {
			if i >= len(names) || names[i] != want {
				t.Errorf("%s: column %d is not %s: %v", table, i, want, names)
				break
			}
		}
	}
}

// Every column has a meaning, is there once, and its name carries its unit.
func TestDefinitions(t *testing.T) {
	suffix := map[string]string{"s": "_s", "bytes": "bytes", "bytes/s": "_bytes_s", "GB/h": "_gb_h", "slot s": "_slot_s"}
	for _, d := range Tables() {
		seen := map[string]bool{}
		if table, ok := ParseTable(d.Table); !ok || table.String() != d.Table || d.Meaning == "" {
			t.Errorf("table %s", d.Table)
		}
		for _, c := range d.Columns {
			if seen[c.Name] || c.Meaning == "" || strings.HasSuffix(c.Meaning, ".") {
				t.Errorf("%s.%s: %+v", d.Table, c.Name, c)
			}
			seen[c.Name] = true
			bytesMoved := c.Name == "bytes_moved"
			if end, ok := suffix[c.Unit]; ok && !strings.HasSuffix(c.Name, end) && !bytesMoved {
				t.Errorf("%s.%s is in %s", d.Table, c.Name, c.Unit)
			}
			if c.Optional && !strings.Contains(c.Meaning, "absent") && !strings.Contains(c.Meaning, "where") && c.Name != "group" && c.Name != "data_home" && c.Name != "pool" {
				t.Errorf("%s.%s: when is it absent?", d.Table, c.Name)
			}
		}
	}
	if _, ok := ParseTable("task"); ok {
		t.Error("task is no table")
	}
}

func TestPrintedTables(t *testing.T) {
	var text, js bytes.Buffer
	if err := WriteTables(&text); err != nil {
		t.Fatal(err)
	}
	if err := WriteTablesJSON(&js); err != nil {
		t.Fatal(err)
	}
	var back []Definition
	if err := json.Unmarshal(js.Bytes(), &back); err != nil || len(back) != int(NumTables) {
		t.Fatal(len(back), err)
	}
	for _, d := range back {
		for _, c := range d.Columns {
			if !strings.Contains(text.String(), c.Name) || !strings.Contains(text.String(), c.Meaning) {
				t.Errorf("%s.%s is not in the text", d.Table, c.Name)
			}
		}
	}
}

// Readers of Arrow's schema find type, unit, currency and meaning in the file.
func TestCurrencyIsInTheFile(t *testing.T) {
	root := t.TempDir()
	finish(t, create(t, root, onePartition, nil))
	r, err := file.OpenParquetFile(onePartition.path(root, Tasks), false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	raw, err := base64.StdEncoding.DecodeString(*r.MetaData().KeyValueMetadata().FindValue("ARROW:schema"))
	if err != nil {
		t.Fatal(err)
	}
	in, err := ipc.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Release()
	for i, c := range Columns(Tasks) {
		f := in.Schema().Field(i)
		unit, _ := f.Metadata.GetValue("unit")
		currency, _ := f.Metadata.GetValue("currency")
		meaning, _ := f.Metadata.GetValue("meaning")
		want := Column{Unit: c.Unit}
		money := ""
		if c.Unit == "money" {
			want.Unit, money = "CNY", "CNY"
		}
		if f.Name != c.Name || f.Nullable != c.Optional || unit != want.Unit || currency != money || meaning != c.Meaning {
			t.Errorf("%s: %v", c.Name, f)
		}
	}
	if got := r.MetaData().GetCreatedBy(); got != "tiersim" {
		t.Errorf("created by %q", got)
	}
}
