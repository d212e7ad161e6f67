package intake

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"insurance.example/exchange/contracts/intake"
	"insurance.example/exchange/contracts/reconciliation"
	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/request"
	"insurance.example/exchange/pkg/resource"
	"insurance.example/exchange/pkg/sheet"
	"insurance.example/exchange/services/desk/folder"
	"insurance.example/exchange/services/desk/intake/template"
	"insurance.example/exchange/services/desk/reconciliation/profile"
)

const (
	// mostRow is how many bytes the cells of a row may have.
	mostRow = 16 << 10
	// mostBatch is how many characters the name of a batch may have.
	mostBatch = 100
)

// Sending says how a file that is sent is read.
type Sending struct {
	// Resource is the one whose members name the columns, and Profile the name of a profile; one of both may be empty.
	Resource, Profile string
	// Batch parts what would be the same records, and Attempt what would be the same import; each may be empty.
	Batch, Attempt string
	// Format is the format of the file, and Declared says how it is written, where no profile of the caller does: what
	// is empty is as the exchange writes tables.
	Format   string
	Declared Declared
	// Extensions says that columns which are no members of the resource are members of the caller's own.
	Extensions bool
}

// Declared says how a file without a profile of the caller is written; see reconciliation.FileProfileTerms.
type Declared struct {
	Delimiter, Encoding, DecimalMark, GroupingMark, DateOrder, Sheet, HiddenRows string
	HeaderRow                                                                    int
}

// overlaid returns a profile of a form with what is declared of a file.
func (d Declared) overlaid(p reconciliation.FileProfileTerms) reconciliation.FileProfileTerms {
	for _, one := range []struct {
		to   *string
		from string
	}{
		{&p.Delimiter, d.Delimiter}, {&p.Encoding, d.Encoding}, {&p.DecimalMark, d.DecimalMark},
		{&p.GroupingMark, d.GroupingMark}, {&p.DateOrder, d.DateOrder}, {&p.Sheet, d.Sheet},
		{&p.HiddenRows, d.HiddenRows},
	} {
		*one.to = cmp.Or(one.from, *one.to)
	}
	p.HeaderRow = cmp.Or(d.HeaderRow, p.HeaderRow)
	return p
}

// shipped returns the profile of a form for a file. Errors: problem.BadParameter for what cannot be declared of it.
func (i *Intake) shipped(form template.Form, how Sending) (reconciliation.FileProfileTerms, error) {
	p := how.Declared.overlaid(form.Terms(how.Format))
	var faults *problem.Error
	if err := profile.Check(p, nil, i.MemberOf); !errors.As(err, &faults) {
		return p, err
	}
	wrong := problem.New(problem.BadParameter, "")
	for _, v := range faults.Violations {
		wrong.InParameter(strings.TrimPrefix(v.Pointer, "/"), v.Reason)
	}
	return p, wrong
}

// terms returns the profile that a file is read by, and its version; 0 for one that is shipped. Errors:
// problem.BadParameter, problem.NotFound, those of the store.
func (i *Intake) terms(ctx context.Context, how Sending) (reconciliation.FileProfileTerms, int64, error) {
	var none reconciliation.FileProfileTerms
	wrong := func(name, reason string) error {
		return problem.New(problem.BadParameter, "").InParameter(name, reason)
	}
	form, isResource := template.OfResource(i.Catalog, how.Resource)
	switch {
	case len([]rune(how.Batch)) > mostBatch:
		return none, 0, wrong("batch", "has more than 100 characters")
	case len([]rune(how.Attempt)) > mostBatch:
		return none, 0, wrong("attempt", "has more than 100 characters")
	case how.Resource != "" && !isResource:
		return none, 0, wrong("resource", "is no resource whose records are created")
	case how.Profile == "" && how.Resource == "":
		return none, 0, wrong("profile", "is required, unless resource says whose members name the columns")
	case how.Extensions && how.Profile != "":
		return none, 0, wrong("extensions", "is for a file whose columns resource names")
	case how.Profile == "":
		p, err := i.shipped(form, how)
		return p, 0, err
	}
	p, err := i.Profile(ctx, how.Profile)
	if missing := (*problem.Error)(nil); errors.As(err, &missing) && missing.Kind == problem.NotFound {
		for _, other := range template.Forms(i.Catalog) {
			if other.Name == how.Profile {
				p.FileProfileTerms, err = i.shipped(other, how)
			}
		}
	}
	switch {
	case err != nil:
		return none, 0, err
	case len(p.Records) == 0:
		return none, 0, wrong("profile", "is of statements, which are compared and not imported")
	case p.Version > 0 && how.Declared != Declared{}:
		return none, 0, wrong("profile", "says how the file is written; no other parameter does")
	case how.Resource != "" && !slices.ContainsFunc(p.Records, func(r reconciliation.FileRecord) bool {
		return r.Resource == how.Resource
	}):
		return none, 0, wrong("resource", "is none that the profile makes records of")
	}
	return p.FileProfileTerms, p.Version, nil
}

// Send reads a file, keeps it and begins to check its rows. It makes no record. The same file that is read in the same
// way is the same import. Errors: problem.BadParameter, problem.NotFound for the profile, problem.Invalid for a file
// that cannot be read, those of the body, of the services and of the store.
func (i *Intake) Send(ctx context.Context, how Sending, body io.Reader) (head intake.Import, err error) {
	began := i.Wall()
	p, version, err := i.terms(ctx, how)
	if err != nil {
		return head, err
	}
	err = i.Folder.Spooled(ctx, p.Format, body, func(file folder.File) error {
		s := &stored{
			Head: intake.Import{
				Resource: how.Resource, Profile: how.Profile, ProfileVersion: version, Batch: how.Batch,
				FileDigest: file.Digest, Size: file.Size, SentBy: request.CallerFrom(ctx).Key(), SentAt: i.instant(),
				State: intake.Checking, Outcomes: map[string]int{},
			},
			Batch: uuid.New(), Profile: p, Extensions: how.Extensions,
			Marked: how.Declared.DecimalMark != "" || how.Declared.GroupingMark != "",
		}
		terms, err := json.Marshal(p, json.Deterministic(true))
		if err != nil {
			return err
		}
		s.Terms = digest(string(terms), how.Extensions, how.Attempt)
		key := keyOf(s)
		same := new(stored)
		if h, err := i.Folder.Find(ctx, key, same); err != nil || h != nil {
			head = same.Head
			return err
		}
		if err := i.lay(ctx, s, file); err != nil {
			return err
		}
		err = i.Folder.Add(ctx, list, s, func(id string) string {
			s.Head.ID, s.At = id, i.Now()
			return key
		})
		if docstore.Overtaken(err) {
			_, err = i.Folder.Find(ctx, key, same) // somebody has sent it at the same time
			head = same.Head
			return err
		}
		if head = s.Head; err == nil {
			err = i.checkFile(ctx, s, file, began)
		}
		return err
	})
	if err != nil {
		return head, err
	}
	return i.checkSince(ctx, head.ID, began)
}

// lay counts the rows of a file, finds its columns, and keeps it. A file that turns out to be wrong at its end leaves
// nothing.
func (i *Intake) lay(ctx context.Context, s *stored, file folder.File) error {
	as := i.members(s)
	table, err := profile.Rows(&s.Profile, as, file, file.Size, nil)
	if err == nil && table.Rows == 0 {
		err = sheet.NewWrong("The file has no rows below its header.")
	}
	if err != nil {
		return folder.Unreadable(err)
	}
	s.Head.Rows, s.Head.Formulas, s.Head.Notes = table.Rows, table.Formulas, table.Notes
	s.Columns, s.Header = table.Columns, table.Header
	s.Head.Columns = columnsOf(&s.Profile, table, as)
	s.Pieces, err = i.Folder.KeepFile(ctx, s.Batch, file)
	return err
}

// members returns how the cells of an import are read.
func (i *Intake) members(s *stored) profile.Members {
	as := profile.Members{
		Zone: i.Zone, Own: s.Head.Profile == "", Kind: i.kindsOf(&s.Profile), Marked: s.Marked,
	}
	if !as.Own {
		return as
	}
	of, _ := i.Catalog.Find(s.Head.Resource)
	as.Whole = func(means string) bool {
		m, _ := of.Member(strings.TrimPrefix(means, s.Head.Resource+"."))
		return m.Whole
	}
	as.Head = func(text string) string {
		column := strings.TrimSpace(text)
		if s.Profile.Format == reconciliation.CSV {
			column = sheet.Original(column)
		}
		return of.Headed(column)
	}
	as.Extend, as.Takes = s.Head.Resource, func(column string) bool {
		_, is := i.MemberOf(s.Head.Resource, column)
		return is || s.Extensions && column != intake.ReasonColumn
	}
	return as
}

// kindsOf returns what returns the kinds of the meanings of columns.
func (i *Intake) kindsOf(p *reconciliation.FileProfileTerms) func(means string) resource.Kind {
	kinds := map[string]resource.Kind{}
	for _, column := range p.Columns {
		name, path, _ := strings.Cut(column.Means, ".")
		at := slices.IndexFunc(p.Records, func(r reconciliation.FileRecord) bool { return r.Name == name })
		kinds[column.Means], _ = i.MemberOf(p.Records[at].Resource, path)
	}
	return func(means string) resource.Kind {
		kind, is := kinds[means]
		if name, path, _ := strings.Cut(means, "."); !is && path != "" {
			kind, _ = i.MemberOf(name, path) // a further column of a file that a resource names the columns of
		}
		return kind
	}
}

// forms are the words for how cells are read.
var forms = map[resource.Kind]string{
	resource.Free: "any", resource.Text: "text", resource.Number: "number", resource.Flag: "flag",
	resource.List: "list", resource.Date: "date", resource.DateTime: "date-time",
}

// columnsOf returns the columns of a file as they were understood, in their order.
func columnsOf(
	p *reconciliation.FileProfileTerms, table profile.Read, as profile.Members,
) []intake.ImportColumn {
	all := []intake.ImportColumn{}
	for _, column := range slices.Concat(p.Columns, table.Extensions) {
		at := table.Columns[column.Means]
		if at == 0 {
			continue
		}
		of := intake.ImportColumn{
			Column: sheet.Column(at), Means: column.Means, Form: forms[as.Kind(column.Means)],
			Examples: []intake.ImportExample{},
		}
		if at <= len(table.Header) {
			of.Name = table.Header[at-1]
		}
		all = append(all, of)
	}
	slices.SortStableFunc(all, func(a, b intake.ImportColumn) int {
		return table.Columns[a.Means] - table.Columns[b.Means]
	})
	return slices.CompactFunc(all, func(a, b intake.ImportColumn) bool { return a.Means == b.Means })
}

// WriteFile writes the file of an import as it was sent. Errors: problem.NotFound, those of the store and the writer.
func (i *Intake) WriteFile(ctx context.Context, id string, to io.Writer) error {
	s, _, err := i.get(ctx, id)
	if err != nil {
		return err
	}
	return i.Folder.WriteFile(ctx, s.Batch, s.Pieces, to)
}
