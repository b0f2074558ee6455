"""The whole job, written against nothing but the client that openapi-python-client generated."""

import json
import sys
import time

from generated.python.api.captioning import (
    create_webhook,
    delete_webhook,
    get_captions,
    get_review,
    get_run,
    list_runs,
    list_webhook_deliveries,
    list_webhooks,
    save_review,
    start_captioner,
    upload_audio,
)
from generated.python.api.registration import complete_claim, start_registration
from generated.python.client import AuthenticatedClient, Client
from generated.python.models import (
    AgentAuthCompleteRequest,
    AgentAuthCompleted,
    AgentAuthRequest,
    AgentAuthStarted,
    AudioObjectReceipt,
    CaptionerCompletedResult,
    CaptionerPayload,
    CaptionerPayloadAudio,
    ErrorResponse,
    GetCaptionsFormat,
    NewWebhook,
    Review,
    ReviewInput,
    ReviewInputCuesItem,
    ReviewReceipt,
    WebhookDeliveryList,
    WebhookInput,
    WebhookInputEventsItem,
    WebhookList,
    WorkflowAccepted,
    WorkflowRun,
    WorkflowRunList,
)
from generated.python.types import File

url, email, mp3, hook = sys.argv[1:]


def of(kind, answer):
    """The answer, if it is what it should be."""
    if not isinstance(answer, kind):
        raise SystemExit(f"{kind.__name__} was expected: {answer}")
    return answer


def until(kind, ask, done):
    """Asks until it is done, for a minute at most."""
    for _ in range(300):
        answer = of(kind, ask())
        if done(answer):
            return answer
        time.sleep(0.2)
    raise SystemExit(f"nothing came of it: {answer}")


open_client = Client(base_url=url)
started = of(
    AgentAuthStarted,
    start_registration.sync(
        client=open_client,
        body=AgentAuthRequest(
            type_="identity_assertion",
            assertion_type="verified_email",
            assertion=email,
            requested_credential_type="api_key",
        ),
    ),
)
print("code?", flush=True)
claimed = of(
    AgentAuthCompleted,
    complete_claim.sync(
        client=open_client,
        body=AgentAuthCompleteRequest(claim_token=started.claim_token, otp=input()),
    ),
)

client = AuthenticatedClient(base_url=url, token=claimed.credential)
webhook = of(
    NewWebhook,
    create_webhook.sync(
        client=client,
        body=WebhookInput(url=hook, events=[WebhookInputEventsItem.RUN_COMPLETED]),
    ),
)
with open(mp3, "rb") as recording:
    receipt = of(
        AudioObjectReceipt,
        upload_audio.sync("generated.mp3", client=client, body=File(payload=recording)),
    )
accepted = of(
    WorkflowAccepted,
    start_captioner.sync(
        client=client, body=CaptionerPayload(audio=CaptionerPayloadAudio(key=receipt.key))
    ),
)
run_id = accepted.run_id
run = until(
    WorkflowRun,
    lambda: get_run.sync(run_id, client=client),
    lambda seen: seen.state.value not in ("queued", "running"),
)
result = of(CaptionerCompletedResult, run.envelope.result)
vtt = of(str, get_captions.sync(run_id, GetCaptionsFormat.VTT, client=client))
runs = of(WorkflowRunList, list_runs.sync(client=client, limit=5)).runs
unknown = of(ErrorResponse, get_run.sync("run_nothing", client=client))

no_review = of(ErrorResponse, get_review.sync(run_id, client=client))
cues = [
    ReviewInputCuesItem(start=cue.start, end=cue.end, text="Hello from a client")
    for cue in result.captions.cues
]
of(
    ReviewReceipt,
    save_review.sync(
        run_id, client=client, body=ReviewInput(cues=cues, finished=True), if_none_match="*"
    ),
)
review = of(Review, get_review.sync(run_id, client=client))
reviewed = of(str, get_captions.sync(run_id, GetCaptionsFormat.SRT, client=client))

webhooks = of(WebhookList, list_webhooks.sync(client=client)).webhooks
deliveries = until(
    WebhookDeliveryList,
    lambda: list_webhook_deliveries.sync(webhook.id, client=client),
    lambda seen: any(each.state.value == "delivered" for each in seen.deliveries),
).deliveries
removed = delete_webhook.sync_detailed(webhook.id, client=client)

print(
    json.dumps(
        {
            "receipt": receipt.to_dict(),
            "runId": run_id,
            "state": run.state.value,
            "srt": result.captions.srt,
            "cues": len(result.captions.cues),
            "vtt": vtt,
            "listed": any(each.run_id == run_id for each in runs),
            "unknownRun": unknown.error.code,
            "noReview": no_review.error.code,
            "review": {"finished": review.finished, "text": review.cues[0].text},
            "reviewed": reviewed,
            "secret": webhook.secret,
            "webhooks": [each.url for each in webhooks],
            "delivered": [each.event.value for each in deliveries],
            "removed": removed.status_code,
        }
    )
)
