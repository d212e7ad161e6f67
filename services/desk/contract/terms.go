package contract

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"insurance.example/exchange/contracts/desk"
	"insurance.example/exchange/contracts/money"
	"insurance.example/exchange/contracts/scalar"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/calendar"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/visible"
	"insurance.example/exchange/services/desk/period"
)

const (
	// mostLimits is how many limits a contract may have.
	mostLimits = 16
	// mostText is how many characters a text of a contract may have.
	mostText = 200
	// usualDueDays is when a bordereau is due unless the contract says otherwise, and mostDueDays the latest.
	usualDueDays = 30
	mostDueDays  = 366
	// firstYear and lastYear are the years of account that there are.
	firstYear, lastYear = 1900, 9999
)

var (
	references = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
	pins       = regexp.MustCompile(`^[0-9]{6}[A-Z]{3}$`)
	decimals   = regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,12})?$`)
)

// Terms is a contract whose members are right, as the desk works with it.
type Terms struct {
	desk.ContractTerms
	// Zone is its time zone.
	Zone *time.Location
	// From and Before are the instants between which the terms of its policies begin: from From on, before Before.
	From, Before time.Time
	// Until are the instants from which another contract takes the policies of a line although they are before Before:
	// it begins on the day on which this one ends or later, in a zone whose days begin earlier.
	Until Until
	// First is the first period.
	First period.Period
	// Money is how its amounts are computed.
	Money money.Terms
}

// Rule says which policies belong to the contract unless they are assigned; two contracts with the same take the same.
func (t *Terms) Rule() string {
	lines := slices.Sorted(slices.Values(t.Lines))
	text := string(t.RisksFrom) + " " + string(t.RisksBefore) + " " + strings.Join(lines, " ")
	if t.Zone != time.UTC {
		text += " " + t.Zone.String()
	}
	return text + t.Until.String()
}

// Takes reports whether a policy of a line belongs to the contract unless it is assigned, if its term began at an
// instant by its first record.
func (t *Terms) Takes(line string, inception scalar.DateTime) bool {
	return !inception.IsZero() && t.takes(line, inception.Time())
}

func (t *Terms) takes(line string, inception time.Time) bool {
	until, shorter := t.Until[line]
	return slices.Contains(t.Lines, line) && !inception.Before(t.From) && inception.Before(t.Before) &&
		(!shorter || inception.Before(until))
}

// overlaps reports whether both contracts have a line and a day in common, whatever their zones.
func (t *Terms) overlaps(other *Terms) bool {
	return t.RisksFrom < other.RisksBefore && other.RisksFrom < t.RisksBefore &&
		slices.ContainsFunc(t.Lines, func(line string) bool { return slices.Contains(other.Lines, line) })
}

// sameMoney reports whether amounts are computed in the same way under both contracts.
func (t *Terms) sameMoney(other *Terms) bool {
	return t.SameUnits(other) && t.SettlementCurrency == other.SettlementCurrency &&
		t.OriginalPerSettlement == other.OriginalPerSettlement &&
		t.CommissionPercentage == other.CommissionPercentage && t.BrokeragePercentage == other.BrokeragePercentage &&
		t.TaxPercentage == other.TaxPercentage &&
		slices.Equal(t.Limits, other.Limits)
}

// SameUnits reports whether both contracts have what may not change once something is approved.
func (t *Terms) SameUnits(other *Terms) bool {
	return t.Currency == other.Currency && t.AmountUnit == other.AmountUnit && t.Frequency == other.Frequency &&
		t.TimeZone == other.TimeZone && t.QuarterBegins == other.QuarterBegins
}

// Warning is what may be a mistake in a member of a contract, in words.
type Warning struct{ Code, Member, Words string }

// The codes of warnings.
const (
	percentAsFraction = "percent-as-fraction"
	currencyWithdrawn = "currency-withdrawn"
)

// Warnings returns what may be a mistake, at most one of each member.
func (t *Terms) Warnings() (all []Warning) {
	one, _ := money.Parse("1")
	less := one.Negated()
	for _, p := range []struct {
		name string
		text scalar.Digits
	}{
		{"commissionPercentage", t.CommissionPercentage}, {"brokeragePercentage", t.BrokeragePercentage},
		{"taxPercentage", t.TaxPercentage},
	} {
		if of, err := money.Parse(string(p.text)); err == nil && of.Sign() != 0 && of.Cmp(one) < 0 && of.Cmp(less) > 0 {
			all = append(all, Warning{percentAsFraction, p.name, p.name + " is " + string(p.text) +
				" %, less than one hundredth of the premium; send 15 for fifteen percent, not 0.15"})
		}
	}
	for _, c := range []struct{ name, code string }{
		{"currency", t.Currency}, {"settlementCurrency", t.SettlementCurrency},
	} {
		if valuesets.IsWithdrawn(c.code) && (c.name == "currency" || c.code != t.Currency) {
			all = append(all, Warning{currencyWithdrawn, c.name, c.name + " is " + c.code +
				", which ISO 4217 has withdrawn (" + currencyWithdrawn + "): right for business in run-off alone"})
		}
	}
	return all
}

// check is what is found wrong with a contract.
type check struct{ wrong *problem.Error }

func (c check) note(pointer, reason string) {
	if reason != "" {
		c.wrong.At("/"+pointer, reason)
	}
}

func (c check) must(holds bool, pointer, reason string) {
	if !holds {
		c.note(pointer, reason)
	}
}

// Read returns a contract as the desk works with it. Members that the caller left out have their defaults. lines are
// all lines of cover. Errors: problem.Invalid with all that is wrong.
func Read(sent desk.ContractTerms, lines []string) (*Terms, error) {
	t, wrong := understand(sent, lines)
	if len(wrong.Violations) > 0 {
		return nil, wrong
	}
	return t, nil
}

// understand returns a contract as the desk works with it as far as it can be understood, and all that is wrong.
func understand(sent desk.ContractTerms, lines []string) (*Terms, *problem.Error) {
	t := &Terms{ContractTerms: sent}
	c := check{problem.New(problem.Invalid, "The contract cannot be as it is described.")}
	t.fill()
	t.checkTexts(c)
	var err error
	if t.Zone, err = calendar.Zone(t.TimeZone); err != nil {
		c.note("timeZone", err.Error())
	}
	t.checkTerm(c, lines)
	t.checkMoney(c)
	t.checkReporting(c)
	return t, c.wrong
}

// works reports whether the desk can work with a contract of which something may be wrong: its periods can be counted
// and its amounts computed.
func (t *Terms) works() bool {
	return t.Zone != nil && t.First != (period.Period{}) && t.Money.Rate.Sign() > 0 && t.AmountUnit != "" &&
		t.Currency != ""
}

// fill sets what the caller left out.
func (t *Terms) fill() {
	set(&t.SettlementCurrency, t.Currency)
	set(&t.CommissionPercentage, "0")
	set(&t.BrokeragePercentage, "0")
	set(&t.SignOff, desk.TwoPersons)
	set(&t.ClaimsBasis, desk.OpenClaims)
	set(&t.TimeZone, time.UTC.String())
	set(&t.QuarterBegins, desk.CalendarQuarters)
	if t.SettlementCurrency == t.Currency {
		set(&t.OriginalPerSettlement, "1")
	}
	if t.RisksFrom == "" {
		t.RisksFrom = t.Inception
	}
	if t.RisksBefore == "" {
		t.RisksBefore = t.Expiry
	}
	if t.DueDays == nil {
		t.DueDays = new(usualDueDays)
	}
}

func set[T ~string](to *T, value T) {
	if *to == "" {
		*to = value
	}
}

func (t *Terms) checkTexts(c check) {
	for name, text := range map[string]string{
		"uniqueMarketReference": t.UniqueMarketReference, "agreementNumber": t.AgreementNumber, "section": t.Section,
		"treatyReference": t.TreatyReference, "coverholderName": t.CoverholderName,
		"administratorName": t.AdministratorName, "counterparty": t.Counterparty,
		"classOfBusiness": t.ClassOfBusiness, "riskCode": t.RiskCode, "typeOfInsurance": t.TypeOfInsurance,
	} {
		c.must(utf8.RuneCountInString(text) <= mostText, name, fmt.Sprintf("has more than %d characters", mostText))
	}
	c.must(visible.In(t.UniqueMarketReference) || visible.In(t.AgreementNumber), "uniqueMarketReference",
		"is required, or agreementNumber: one of them names the contract")
	c.must(visible.In(t.CoverholderName), "coverholderName", "is required: who reports")
	c.must(t.CoverholderPIN == "" || pins.MatchString(t.CoverholderPIN), "coverholderPin",
		"must have six digits and three capital letters, such as 123456ABC")
}

func (t *Terms) checkTerm(c check, names []string) {
	c.must(t.Inception != "", "inception", "is required: the first day of the contract")
	c.must(t.Expiry != "", "expiry", "is required: the day on which the contract ends")
	c.must(t.Inception == "" || t.Expiry == "" || t.Inception < t.Expiry, "expiry", "must be after inception")
	t.From, t.Before = t.begins(t.RisksFrom), t.begins(t.RisksBefore)
	c.must(t.RisksFrom == "" || t.RisksBefore == "" || t.RisksFrom < t.RisksBefore, "risksBefore",
		"must be after risksFrom")
	c.must(len(t.Lines) > 0, "lines", "is required: the lines whose policies belong to the contract")
	for i, line := range t.Lines {
		at := fmt.Sprintf("lines/%d", i)
		switch {
		case !slices.Contains(names, line):
			c.note(at, "is no line of insurance; they are "+strings.Join(names, ", "))
		case slices.Index(t.Lines, line) < i:
			c.note(at, "is there twice")
		}
	}
	at, reason := "yearOfAccount", fmt.Sprintf("must be a year of four digits, %d to %d", firstYear, lastYear)
	if t.YearOfAccount == nil && t.Inception != "" {
		t.YearOfAccount = new(day(t.Inception).Year())
		at, reason = "inception", fmt.Sprintf(
			"has a year that is no year of account, which is %d to %d; send yearOfAccount", firstYear, lastYear)
	}
	c.must(t.YearOfAccount == nil || *t.YearOfAccount >= firstYear && *t.YearOfAccount <= lastYear, at, reason)
	c.must(t.NumberOfInstalments >= 0 && t.NumberOfInstalments <= 366, "numberOfInstalments", "must be 0 to 366")
}

func (t *Terms) checkMoney(c check) {
	currency := func(code, at string) {
		c.must(valuesets.IsCurrency(code), at, "must be a currency of ISO 4217, such as EUR, or one that it has "+
			"withdrawn since 2000")
	}
	currency(t.Currency, "currency")
	if t.SettlementCurrency != t.Currency {
		currency(t.SettlementCurrency, "settlementCurrency")
	}
	c.note("amountUnit", oneOf(t.AmountUnit,
		"the interface does not say whether 100 is 100 euros or 100 cents, so it is never assumed",
		desk.Major, desk.Minor))
	t.Money = money.Terms{Currency: t.Currency, Settlement: t.SettlementCurrency, Minor: t.AmountUnit == desk.Minor}
	t.Money.Rate = number(c, "originalPerSettlement", string(t.OriginalPerSettlement),
		"must be the rate as units of currency for one of settlementCurrency, such as \"1.22\"")
	switch {
	case t.OriginalPerSettlement == "":
	case t.Money.Rate.Sign() == 0 && decimals.MatchString(string(t.OriginalPerSettlement)):
		c.note("originalPerSettlement", "must be above 0")
	case t.SettlementCurrency == t.Currency && t.Money.Rate.Decimal() != "1":
		c.note("originalPerSettlement", "must be \"1\", because currency and settlementCurrency are the same")
	}
	t.Money.Commission = percentage(c, "commissionPercentage", string(t.CommissionPercentage))
	t.Money.Brokerage = percentage(c, "brokeragePercentage", string(t.BrokeragePercentage))
	if t.TaxPercentage != "" {
		t.Money.Taxed, t.Money.Taxes = true, signed(c, "taxPercentage", string(t.TaxPercentage))
	}
	c.must(len(t.Limits) <= mostLimits, "limits", fmt.Sprintf("has more than %d limits", mostLimits))
	for i, l := range t.Limits[:min(len(t.Limits), mostLimits)] {
		at := fmt.Sprintf("limits/%d/", i)
		c.must(visible.In(l.Name) && utf8.RuneCountInString(l.Name) <= mostText, at+"name",
			"must have 1 to 200 characters")
		number(c, at+"amount", string(l.Amount), "must be an amount in digits, such as 1000000.00")
		currency(l.Currency, at+"currency")
	}
}

func (t *Terms) checkReporting(c check) {
	c.note("frequency", oneOf(t.Frequency, "how often is reported", desk.Monthly, desk.Quarterly))
	c.note("quarterBegins", oneOf(t.QuarterBegins, "where quarters begin", desk.CalendarQuarters,
		desk.InceptionQuarters))
	t.checkFirst(c)
	c.must(*t.DueDays >= 0 && *t.DueDays <= mostDueDays, "dueDays", fmt.Sprintf("must be 0 to %d", mostDueDays))
	c.note("signOff", oneOf(t.SignOff, "how many persons sign off", desk.TwoPersons, desk.OnePerson))
	c.note("claimsBasis", oneOf(t.ClaimsBasis, "which claims are reported", desk.OpenClaims, desk.AllClaims))
}

// checkFirst reads the first period.
func (t *Terms) checkFirst(c check) {
	begins := day(t.Inception)
	first, ok := period.Parse(t.FirstPeriod)
	quarter := "2026-Q1"
	if t.QuarterBegins == desk.InceptionQuarters {
		quarter = begins.Format("2006-01") + "-3M"
	}
	own, _ := period.Parse(quarter)
	switch {
	case t.FirstPeriod == "":
		c.note("firstPeriod", "is required: the first period that is reported, such as 2026-01 or "+quarter)
	case !ok:
		c.note("firstPeriod", "must be a month such as 2026-01, or a quarter such as "+quarter)
	case t.Frequency == desk.Monthly && t.QuarterBegins == desk.InceptionQuarters:
		c.note("quarterBegins", "is for quarters, and frequency is month")
	case t.Frequency == desk.Monthly && first.Quarterly():
		c.note("firstPeriod", "is a quarter, and frequency is month; send a month such as "+first.From().String()[:7])
	case t.Frequency == desk.Quarterly && !first.Quarterly():
		c.note("firstPeriod", "is a month, and frequency is quarter; send a quarter such as "+quarter)
	case t.Frequency == desk.Quarterly && t.Inception != "" && !first.InRow(own):
		c.note("firstPeriod", "is no quarter of the contract, whose quarterBegins is "+t.QuarterBegins+
			"; send one such as "+quarter)
	}
	t.First = first
}

// begins returns the instant at which a day begins in the zone of the contract; the zero time for none.
func (t *Terms) begins(d scalar.Date) time.Time {
	if d == "" || t.Zone == nil {
		return time.Time{}
	}
	on, _ := calendar.Of(time.UTC, day(d))
	return calendar.At(t.Zone, on, 0)
}

// day returns the instant at which a day begins, UTC; the zero time for none.
func day(d scalar.Date) time.Time {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return time.Time{} // absent; the type has refused anything else
	}
	return t
}

func oneOf(value, means string, of ...string) (wrong string) {
	switch {
	case slices.Contains(of, value):
		return ""
	case value == "":
		return "is required: " + means + "; it is " + strings.Join(of, " or ")
	}
	return "must be " + strings.Join(of, " or ")
}

// number reads a number in digits, and notes what is wrong with another text.
func number(c check, at, text, wrong string) money.Amount {
	if !decimals.MatchString(text) {
		c.note(at, wrong)
		return money.Amount{}
	}
	a, err := money.Parse(text)
	if err != nil {
		c.note(at, wrong)
	}
	return a
}

func percentage(c check, at, text string) money.Amount { return within(c, at, text, "0") }

// signed returns a percentage that may be below 0.
func signed(c check, at, text string) money.Amount {
	digits, below := strings.CutPrefix(text, "-")
	of := within(c, at, digits, "-100")
	if below {
		return of.Negated()
	}
	return of
}

// within returns a percentage without its sign, which may be from least on.
func within(c check, at, text, least string) money.Amount {
	may := fmt.Sprintf("%q to \"100\"", least)
	of := number(c, at, text, "must be a percentage in digits, "+may)
	hundred, _ := money.Parse("100")
	c.must(of.Cmp(hundred) <= 0, at, "must be "+may)
	return of
}

// ReferenceWrong returns what is wrong with the reference of a contract, empty if nothing is.
func ReferenceWrong(reference string) string {
	if references.MatchString(reference) {
		return ""
	}
	return "must have 1 to 64 letters, digits, points, hyphens and underscores"
}
