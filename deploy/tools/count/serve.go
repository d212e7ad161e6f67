package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"time"
)

// serve starts the exchange, creates and fetches claims, one after the other, and stops it.
func serve(command, data, counters string, creates, fetches int) (err error) {
	process := exec.Command(command, "run", "--addr", "127.0.0.1:0", "--data", data, "--log-format", "json")
	process.Env = append(os.Environ(), "GOCOVERDIR="+counters)
	log, err := process.StderrPipe()
	if err != nil {
		return err
	}
	if err := process.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, process.Process.Signal(os.Interrupt), process.Wait()) }()
	address, err := listening(log)
	if err != nil {
		return err
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()
	token := exec.Command(command, "token", "--data", data)
	token.Env = append(os.Environ(), "GOCOVERDIR="+os.TempDir())
	printed, err := token.Output()
	if err != nil {
		return err
	}
	return request(caller{"http://" + address, string(bytes.TrimSpace(printed))}, creates, fetches)
}

// listening returns the address that the log of a process names.
func listening(log io.Reader) (string, error) {
	for lines := bufio.NewScanner(log); lines.Scan(); {
		var line struct{ Msg, Address string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
			return line.Address, nil
		}
	}
	return "", errors.New("the exchange ended before it listened")
}

// request makes a policy and what it needs, and claims on it.
func request(c caller, creates, fetches int) error {
	party, err := c.create("/commercial", `{"name": "Example Carriers"}`)
	if err != nil {
		return err
	}
	vehicle, err := c.create("/vehicle", `{"plateNumber": "EX 2026"}`)
	if err != nil {
		return err
	}
	driver, err := c.create("/driver", `{"name": "Ada", "licence": {"expiryDate": "2099-12-31"}}`)
	if err != nil {
		return err
	}
	policy, err := c.create("/motorCoverage",
		fmt.Sprintf(`{"policyholderId": %q, "vehicleId": %q, "driverId": %q, "perils": ["theft"],
		"inceptionDate": "2026-01-01T00:00:00Z", "expiryDate": "2027-01-01T00:00:00Z"}`, party.ID, vehicle.ID, driver.ID))
	if err != nil {
		return err
	}
	var claim record
	lost := time.Date(2026, 3, 1, 8, 30, 0, 0, time.UTC)
	for range creates {
		lost = lost.Add(time.Minute)
		claim, err = c.create("/claim",
			fmt.Sprintf(`{"policyNumber": %q, "lossDate": %q, "claimType": "other", "lossCause": "theft"}`,
				policy.PolicyNumber, lost.Format(time.RFC3339)))
		if err != nil {
			return err
		}
	}
	for range fetches {
		if _, err := c.call(http.MethodGet, "/claim/"+claim.ID, "", http.StatusOK); err != nil {
			return err
		}
	}
	return nil
}

// caller calls an exchange.
type caller struct{ base, token string }

// record is what later requests need of a record.
type record struct{ ID, PolicyNumber string }

func (c caller) create(path, body string) (record, error) {
	return c.call(http.MethodPost, path, body, http.StatusCreated)
}

func (c caller) call(method, path, body string, want int) (r record, err error) {
	request, err := http.NewRequest(method, c.base+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return r, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return r, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return r, err
	}
	if response.StatusCode != want {
		return r, fmt.Errorf("%s %s: %s: %s", method, path, response.Status, content)
	}
	return r, json.Unmarshal(content, &r)
}
