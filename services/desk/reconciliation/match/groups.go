package match

import (
	"math/bits"

	"insurance.example/exchange/contracts/money"
)

const (
	// mostTogether is how many rows or records of a policy are looked at for a group. Where there are more, none is
	// proposed.
	mostTogether = 10
	// mostSums is how many sums a comparison makes for groups. After them, none is proposed.
	mostSums = 2_000_000
)

// group returns the indexes of those of some amounts that together come to a sum. It returns nothing unless there are
// two at least, and no others that come to it: nothing is guessed.
func (r *run) group(sum string, of []string) ([]int, error) {
	count := uint(1) << len(of)
	if len(of) < 2 || len(of) > mostTogether || r.sums+count > mostSums {
		return nil, nil
	}
	r.sums += count
	want, err := money.Parse(sum)
	if err != nil {
		return nil, err
	}
	amounts := make([]money.Amount, len(of))
	for i, text := range of {
		if amounts[i], err = money.Parse(text); err != nil {
			return nil, err
		}
	}
	sums, found := make([]money.Amount, count), uint(0)
	for some := uint(1); some < count; some++ {
		last := some & (some - 1) // without the lowest of them
		if sums[some], err = sums[last].Plus(amounts[bits.TrailingZeros(some)]); err != nil {
			return nil, err
		}
		if sums[some].Cmp(want) == 0 {
			if found > 0 {
				return nil, nil
			}
			found = some
		}
	}
	if bits.OnesCount(found) < 2 {
		return nil, nil
	}
	var members []int
	for i := range of {
		if found&(1<<i) != 0 {
			members = append(members, i)
		}
	}
	return members, nil
}

// keyOf returns the index of the amount by which a row is found, and the amount; none if it has none.
func keyOf(e Entry) (index int, amount string) {
	for _, index := range keyAmounts {
		if amount := e.Amounts.At(index); amount != "" {
			return index, amount
		}
	}
	return 0, ""
}

// recordsFor returns the ids of those of some records that together come to the amount of a row; none if there is not
// exactly one such group.
func (r *run) recordsFor(e Entry, records []int32) (lineIDs []string, err error) {
	index, amount := keyOf(e)
	if amount == "" {
		return nil, nil
	}
	var amounts, ids []string
	for _, at := range records {
		of := r.records[at]
		_, paired := r.before.Records[of.LineID]
		if !paired && r.currency(of, index) == e.Currency && of.Amounts.At(index) != "" {
			amounts, ids = append(amounts, of.Amounts.At(index)), append(ids, of.LineID)
		}
	}
	members, err := r.group(amount, amounts)
	for _, i := range members {
		lineIDs = append(lineIDs, ids[i])
	}
	return lineIDs, err
}

// rowsFor returns the numbers of those of some rows that together come to the amount of a record, as recordsFor does.
func (r *run) rowsFor(of Record, entries []int) (rows []int, err error) {
	if len(entries) == 0 {
		return nil, nil
	}
	index, _ := keyOf(r.entries[entries[0]])
	var amounts []string
	var numbers []int
	for _, i := range entries {
		e := r.entries[i]
		if its, amount := keyOf(e); its == index && amount != "" && r.currency(of, index) == e.Currency {
			amounts, numbers = append(amounts, amount), append(numbers, e.Row)
		}
	}
	members, err := r.group(of.Amounts.At(index), amounts)
	for _, i := range members {
		rows = append(rows, numbers[i])
	}
	return rows, err
}
