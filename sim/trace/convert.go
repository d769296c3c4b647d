package trace

import "context"

// ConvertOptions say how a trace is converted.
type ConvertOptions struct {
	Format      string // of what is read, one of FormatNames; "": by content
	SkipBadRows bool   // count broken rows, which are faults otherwise
}

// Convert writes a trace in our schema: in has any format that can be read, the
// ending of out says what is written (.csv, .csv.gz, .csv.zst, .parquet). Rows are
// in the order of submission; columns without a value are left out. A file of that
// name is replaced once all is written, and stays as it was where something goes
// wrong. The error is a fault.List, or a fault.Fault, where the input is at fault.
func Convert(ctx context.Context, in, out string, o ConvertOptions) (Report, error) {
	ext, err := extensionOf(out)
	if err != nil {
		return Report{}, err
	}
	if err := notItself(in, out); err != nil {
		return Report{}, err
	}
	g, err := gather(ctx, in, o.Format, o.SkipBadRows)
	if err != nil {
		return Report{}, err
	}
	defer g.close()
	n, err := g.writeRows(ctx, out, ext, nil)
	if err != nil {
		return Report{}, err
	}
	return g.tell(out, n), nil
}

// tell tells what became of the rows when n were written.
func (g *gathering) tell(out string, n int64) Report {
	r := Report{
		File: g.name, Format: g.format, Wrote: out,
		In: g.in, Out: n, Dropped: g.dropped, Columns: g.used(), Notes: g.notes,
	}
	if !g.ordered {
		r.Notes = append(r.Notes, "rows were not in the order of submit_s and are sorted")
	}
	if g.len() > 0 && g.present[ColWorkS] == 0 {
		r.Notes = append(r.Notes, "no task has work_s; a scenario's fill gives it")
	}
	return r
}
