// The whole job, written against nothing but the client that oapi-codegen generated.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	captioner "captioner/generated-client/generated"
	openapi_types "github.com/oapi-codegen/runtime/types"
)

var ctx = context.Background()

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// The typed answer; anything else ends the job with what came instead.
func of[T any](answer *T, body []byte) *T {
	if answer == nil {
		must(fmt.Errorf("unexpected answer: %s", body))
	}
	return answer
}

// Asks until it is done, for a minute at most.
func until[T any](ask func() *T, done func(*T) bool) *T {
	for range 300 {
		if answer := ask(); done(answer) {
			return answer
		}
		time.Sleep(200 * time.Millisecond)
	}
	must(fmt.Errorf("nothing came of it"))
	return nil
}

func pointer[T any](value T) *T { return &value }

func main() {
	url, email, recording, hook := os.Args[1], os.Args[2], os.Args[3], os.Args[4]

	open, err := captioner.NewClientWithResponses(url)
	must(err)
	started, err := open.StartRegistrationWithResponse(ctx, captioner.AgentAuthRequest{
		Type:                    captioner.IdentityAssertion,
		AssertionType:           captioner.VerifiedEmail,
		Assertion:               openapi_types.Email(email),
		RequestedCredentialType: captioner.AgentAuthRequestRequestedCredentialTypeApiKey,
	})
	must(err)
	fmt.Println("code?")
	code, err := bufio.NewReader(os.Stdin).ReadString('\n')
	must(err)
	claimed, err := open.CompleteClaimWithResponse(ctx, captioner.AgentAuthCompleteRequest{
		ClaimToken: of(started.JSON200, started.Body).ClaimToken,
		Otp:        pointer(strings.TrimSpace(code)),
	})
	must(err)
	key := of(claimed.JSON200, claimed.Body).Credential

	client, err := captioner.NewClientWithResponses(url, captioner.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+key)
			return nil
		}))
	must(err)
	registered, err := client.CreateWebhookWithResponse(ctx, captioner.WebhookInput{
		Url:    hook,
		Events: &[]captioner.WebhookInputEvents{captioner.WebhookInputEventsRunCompleted},
	})
	must(err)
	webhook := of(registered.JSON201, registered.Body)

	mp3, err := os.Open(recording)
	must(err)
	uploaded, err := client.UploadAudioWithBodyWithResponse(ctx, "generated.mp3", "audio/mpeg", mp3)
	must(err)
	receipt := of(uploaded.JSON200, uploaded.Body)
	payload := captioner.CaptionerPayload{}
	payload.Audio.Key = receipt.Key
	accepted, err := client.StartCaptionerWithResponse(ctx, nil, payload)
	must(err)
	runId := of(accepted.JSON202, accepted.Body).RunId
	run := until(func() *captioner.WorkflowRun {
		seen, err := client.GetRunWithResponse(ctx, runId)
		must(err)
		return of(seen.JSON200, seen.Body)
	}, func(seen *captioner.WorkflowRun) bool {
		return seen.State != captioner.WorkflowRunStateQueued && seen.State != captioner.WorkflowRunStateRunning
	})
	value, err := run.Envelope.Result.ValueByDiscriminator()
	must(err)
	result, ok := value.(captioner.CaptionerCompletedResult)
	if !ok {
		must(fmt.Errorf("the run ended as %s", run.State))
	}
	vtt, err := client.GetCaptionsWithResponse(ctx, runId, captioner.GetCaptionsParamsFormatVtt, nil)
	must(err)
	runs, err := client.ListRunsWithResponse(ctx, &captioner.ListRunsParams{Limit: pointer(5)})
	must(err)
	listed := false
	for _, each := range of(runs.JSON200, runs.Body).Runs {
		listed = listed || each.RunId == runId
	}
	unknown, err := client.GetRunWithResponse(ctx, "run_nothing")
	must(err)

	noReview, err := client.GetReviewWithResponse(ctx, runId)
	must(err)
	input := captioner.ReviewInput{Finished: pointer(true)}
	for _, cue := range result.Captions.Cues {
		sent := captioner.ReviewInput{}
		must(json.Unmarshal([]byte(`{"cues":[{}]}`), &sent))
		sent.Cues[0].Start, sent.Cues[0].End = cue.Start, cue.End
		sent.Cues[0].Text = pointer("Hello from a client")
		input.Cues = append(input.Cues, sent.Cues[0])
	}
	saved, err := client.SaveReviewWithResponse(ctx, runId,
		&captioner.SaveReviewParams{IfNoneMatch: pointer("*")}, input)
	must(err)
	of(saved.JSON201, saved.Body)
	kept, err := client.GetReviewWithResponse(ctx, runId)
	must(err)
	review := of(kept.JSON200, kept.Body)
	reviewed, err := client.GetCaptionsWithResponse(ctx, runId, captioner.GetCaptionsParamsFormatSrt, nil)
	must(err)

	webhooks, err := client.ListWebhooksWithResponse(ctx)
	must(err)
	urls := []string{}
	for _, each := range of(webhooks.JSON200, webhooks.Body).Webhooks {
		urls = append(urls, each.Url)
	}
	var delivered []string
	until(func() *captioner.WebhookDeliveryList {
		seen, err := client.ListWebhookDeliveriesWithResponse(ctx, webhook.Id)
		must(err)
		return of(seen.JSON200, seen.Body)
	}, func(seen *captioner.WebhookDeliveryList) bool {
		delivered = nil
		for _, each := range seen.Deliveries {
			if each.State == captioner.WebhookDeliveryStateDelivered {
				delivered = append(delivered, string(each.Event))
			}
		}
		return delivered != nil
	})
	removed, err := client.DeleteWebhookWithResponse(ctx, webhook.Id)
	must(err)

	must(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"receipt":    receipt,
		"runId":      runId,
		"state":      run.State,
		"srt":        result.Captions.Srt,
		"cues":       len(result.Captions.Cues),
		"vtt":        string(vtt.Body),
		"listed":     listed,
		"unknownRun": of(unknown.JSON404, unknown.Body).Error.Code,
		"noReview":   of(noReview.JSON404, noReview.Body).Error.Code,
		"review":     map[string]any{"finished": review.Finished, "text": review.Cues[0].Text},
		"reviewed":   string(reviewed.Body),
		"secret":     webhook.Secret,
		"webhooks":   urls,
		"delivered":  delivered,
		"removed":    removed.StatusCode(),
	}))
}
