package kafka

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"
)

// leastRetention is how long a topic should keep its messages: through an outage of the receivers that lasts a night.
const leastRetention = 24 * time.Hour

// The settings of a topic that are checked, by their names in Kafka.
const (
	minInsync     = "min.insync.replicas"
	retention     = "retention.ms"
	cleanupPolicy = "cleanup.policy"
)

// checkTopics logs how topics that exist differ from what is described or needed, and what to do about it. Brokers
// may keep their settings from a client; that is logged as well, and is no error.
func checkTopics(ctx context.Context, client *kafka.Client, log *slog.Logger, topics ...Topic) {
	metadata, err := client.Metadata(ctx, &kafka.MetadataRequest{Topics: names(topics)})
	if err != nil {
		log.Info("the topics are not checked", "error", err)
		return
	}
	request := &kafka.DescribeConfigsRequest{}
	for _, name := range names(topics) {
		request.Resources = append(request.Resources, kafka.DescribeConfigRequestResource{
			ResourceType: kafka.ResourceTypeTopic, ResourceName: name,
			ConfigNames: []string{minInsync, retention, cleanupPolicy},
		})
	}
	described, err := client.DescribeConfigs(ctx, request)
	if err != nil {
		log.Info("the settings of the topics are not checked", "error", err)
		return
	}
	settings := make(map[string]map[string]string)
	for _, resource := range described.Resources {
		if resource.Error != nil {
			log.Info("the settings of a topic are not checked", "checked", resource.ResourceName, "error",
				resource.Error)
			continue
		}
		settings[resource.ResourceName] = make(map[string]string)
		for _, entry := range resource.ConfigEntries {
			settings[resource.ResourceName][entry.ConfigName] = entry.ConfigValue
		}
	}
	for i, found := range metadata.Topics {
		if found.Error != nil || len(found.Partitions) == 0 {
			continue // It was just created, and not all brokers know it yet.
		}
		for _, d := range topics[i].differences(len(found.Partitions), len(found.Partitions[0].Replicas),
			settings[found.Name]) {
			log.Warn("a topic is not as it should be: "+d.what, "differs", found.Name, "remedy", d.remedy)
		}
	}
}

// difference is one way in which a topic is not as it should be, and what an operator can do about it.
type difference struct{ what, remedy string }

// differences compares a topic that exists with its description. A setting that is missing is not compared.
func (t Topic) differences(partitions, copies int, settings map[string]string) []difference {
	var all []difference
	add := func(remedy, what string, values ...any) {
		all = append(all, difference{fmt.Sprintf(what, values...), remedy})
	}
	alter := func(setting, value string) string {
		return fmt.Sprintf("kafka-configs.sh --alter --entity-type topics --entity-name %s --add-config %s=%s", t.Name,
			setting, value)
	}

	switch wanted := max(t.Partitions, 1); {
	case partitions < wanted:
		add(fmt.Sprintf("kafka-topics.sh --alter --topic %s --partitions %d", t.Name, wanted),
			"it has %d partitions and should have %d, so that fewer consumers can share it", partitions, wanted)
	case partitions > wanted && t.dead:
		add("read dead letters of all partitions, or create the topic again with one",
			"it has %d partitions and should have 1, so that its messages are in order", partitions)
	}
	if t.Replication > 0 && copies != t.Replication {
		add("kafka-reassign-partitions.sh changes the number of copies",
			"it has %d copies of each partition and should have %d", copies, t.Replication)
	}
	if least, err := strconv.Atoi(settings[minInsync]); err == nil {
		switch {
		case least > copies:
			add("give the topic more copies (kafka-reassign-partitions.sh), or "+alter(minInsync, strconv.Itoa(copies)),
				"%s is %d, but it has only %d copies of each partition, so that nothing can be published",
				minInsync, least, copies)
		case least == copies && copies > 1:
			add(alter(minInsync, strconv.Itoa(copies-1)),
				"%s is %d, as many as there are copies, so that nothing is published while one broker is down",
				minInsync, least)
		case least == 1 && copies > 2:
			add(alter(minInsync, "2"), "%s is 1, so that a message may be lost with one broker", minInsync)
		}
	}
	if milliseconds, err := strconv.ParseInt(settings[retention], 10, 64); err == nil && milliseconds >= 0 {
		kept := time.Duration(milliseconds) * time.Millisecond
		switch {
		case t.dead:
			add(alter(retention, "-1"), "dead letters are deleted after %v", kept)
		case kept < leastRetention:
			add(alter(retention, strconv.FormatInt(leastRetention.Milliseconds(), 10)),
				"messages are deleted after %v, possibly before they are handled", kept)
		}
	}
	if policy := settings[cleanupPolicy]; strings.Contains(policy, "compact") {
		add(alter(cleanupPolicy, "delete"), "%s is %s: of the messages with one key only the last is kept, and "+
			"they may be about different things", cleanupPolicy, policy)
	}
	return all
}
