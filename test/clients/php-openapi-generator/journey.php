<?php

declare(strict_types=1);

/** The journey of run.ts through the PHP client. */

use Plumbline\Api\ConversationsApi;
use Plumbline\Api\MessagesApi;
use Plumbline\Api\NotificationsApi;
use Plumbline\Api\PostsApi;
use Plumbline\Api\ServiceApi;
use Plumbline\Api\UrlsApi;
use Plumbline\Api\VideoUploadsApi;
use Plumbline\ApiException;
use Plumbline\Configuration;
use Plumbline\Model\CreateConversationRequest;
use Plumbline\Model\CreateMessageRequest;
use Plumbline\Model\CreatePostRequest;
use Plumbline\Model\CreateUrlRequest;
use Plumbline\Model\NotificationKindFilter;
use Plumbline\Model\NotificationStatus;
use Plumbline\Model\Problem;
use Plumbline\Model\PostSortOrder;
use Plumbline\Model\UpdateNotificationRequest;
use Plumbline\Model\VideoUploadStatus;

// A warning or a deprecation of the client is a failure.
set_error_handler(static fn(int $level, string $text, string $file, int $line) => throw new ErrorException($text, 0, $level, $file, $line));
require 'GuzzleHttp/autoload.php';
spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/build/client/lib/' . str_replace('\\', '/', substr($class, strlen('Plumbline\\'))) . '.php';
    if (str_starts_with($class, 'Plumbline\\') && is_file($file)) {
        require $file;
    }
});

const TARGET = 'https://www.example.com/slates/order/5531';

// begin: first lines
Configuration::setDefaultConfiguration(
    (new Configuration())->setHost(getenv('API_URL'))->setAccessToken(getenv('API_KEY')),
);
$account = (new ServiceApi())->getAccount();
// end

/** Prints the line that run.ts counts. */
function passed(int $step, string $detail): void
{
    echo "ok $step $detail\n";
}

/** Says what the client cannot express, for the table in openapi/CLIENTS.md. */
function note(string $text): void
{
    echo "note $text\n";
}

function check(bool $condition, string $message): void
{
    if (!$condition) {
        throw new RuntimeException($message);
    }
}

function failure(callable $call): ApiException
{
    try {
        $call();
    } catch (ApiException $failure) {
        return $failure;
    }
    throw new RuntimeException('nothing was refused');
}

/** Names of headers come as they were sent, in capitals or not. */
function headerOf(array $headers, string $name): ?string
{
    return array_change_key_case($headers)[$name][0] ?? null;
}

/** 1 create and follow a short URL. */
function shortUrl(): void
{
    $created = (new UrlsApi())->createUrl(new CreateUrlRequest(['target_url' => TARGET]));
    check($created->getCreatedAt() instanceof DateTime && $created->getExpiresAt() === null, 'the timestamps are not a DateTime and null');
    $urls = new UrlsApi(new GuzzleHttp\Client(['allow_redirects' => false]));
    $followed = failure(static fn() => $urls->followUrl($created->getId()));
    check($followed->getCode() === 302 && headerOf($followed->getResponseHeaders(), 'location') === TARGET, 'Location is not the target');
    note('a 302 throws an `ApiException`; read `Location` from its headers');
    passed(1, $created->getId() . ' leads to its target');
}

/** 2 page through posts by cursor and by offset. */
function posts(string $author): void
{
    $posts = new PostsApi();
    $made = array_map(
        static fn(string $title) => $posts->createPost(new CreatePostRequest(['title' => $title, 'body' => 'Measured.']))->getId(),
        ['one', 'two', 'three', 'four', 'five'],
    );
    $byCursor = [];
    $after = null;
    do {
        $page = $posts->listPosts(author: $author, limit: 2, after: $after);
        foreach ($page->getData() as $post) {
            $byCursor[] = $post->getId();
        }
        $after = $page->getPage()->getNextCursor();
    } while ($after !== null);
    $byOffset = [];
    for ($offset = 0, $total = 1; $offset < $total; $offset += 2) {
        $page = $posts->listPosts(author: $author, sort: PostSortOrder::OLDEST_POST_FIRST, limit: 2, offset: $offset);
        foreach ($page->getData() as $post) {
            $byOffset[] = $post->getId();
        }
        $total = $page->getPage()->getTotal();
    }
    check($byCursor === array_reverse($made), 'paging by cursor does not give the posts, newest first');
    check($byOffset === $made, 'paging by offset does not give the posts, oldest first');
    passed(2, '5 posts by cursor and by offset');
}

/** 3 send a message twice with one key. */
function message(): void
{
    $key = bin2hex(random_bytes(16));
    $members = new CreateConversationRequest(['member_ids' => [getenv('COLLEAGUE_ID')]]);
    $conversation = (new ConversationsApi())->createConversation($key, $members);
    check($conversation->getLastMessageAt() === null, 'a message before the first');
    $body = new CreateMessageRequest(['body' => 'The slates come on Thursday.']);
    $messages = new MessagesApi();
    [$first] = $messages->createMessageWithHttpInfo($conversation->getId(), $key, $body);
    [$second, , $headers] = $messages->createMessageWithHttpInfo($conversation->getId(), $key, $body);
    check($first->getId() === $second->getId(), 'two ids');
    check(headerOf($headers, 'idempotency-replayed') === 'true', 'not replayed');
    passed(3, 'sent twice, one message');
}

/** 4 upload a video, poll until it is done and fetch its poster. */
function video(): void
{
    $videos = new VideoUploadsApi();
    [$job, , $headers] = $videos->createVideoUploadWithHttpInfo(new SplFileObject(getenv('VIDEO')), 'clip.mp4');
    while (in_array($job->getStatus(), [VideoUploadStatus::QUEUED, VideoUploadStatus::PROCESSING], true)) {
        sleep((int) (headerOf($headers, 'retry-after') ?? 1));
        [$job, , $headers] = $videos->getVideoUploadWithHttpInfo($job->getId());
    }
    check($job->getStatus() === VideoUploadStatus::SUCCEEDED, 'the job ' . $job->getStatus());
    $result = $job->getResult();
    $poster = $videos->getVideoPoster($job->getId())->getSize();
    check($poster === $result->getPoster()->getSizeBytes(), 'the poster is not whole');
    passed(4, "{$result->getDurationMs()} ms of {$result->getVideoCodec()}, poster of $poster bytes");
}

/** 5 read notifications with a filter and mark one read. */
function notification(): void
{
    $notifications = new NotificationsApi();
    $unread = $notifications->listNotifications(status: NotificationStatus::UNREAD, kind: NotificationKindFilter::VIDEO_UPLOAD_SUCCEEDED);
    check($unread->getData()[0]->getReadAt() === null, 'read before it was marked');
    $body = new UpdateNotificationRequest(['status' => NotificationStatus::READ]);
    $read = $notifications->updateNotification($unread->getData()[0]->getId(), $body);
    check($read->getStatus() === NotificationStatus::READ && $read->getReadAt() instanceof DateTime, 'not marked');
    passed(5, 'read ' . $read->getKind());
}

/** 6 provoke a 404, a 409 and a 400. */
function problems(): void
{
    $urls = new UrlsApi();
    $taken = new CreateUrlRequest(['target_url' => TARGET, 'id' => 'taken-' . bin2hex(random_bytes(4))]);
    $urls->createUrl($taken);
    $problems = array_map(static fn(callable $call): Problem => failure($call)->getResponseObject(), [
        static fn() => $urls->getUrl('no-such-url'),
        static fn() => $urls->createUrl($taken),
        static fn() => (new PostsApi())->listPosts(offset: 0, after: 'cursor'),
    ]);
    $seen = array_map(static fn(Problem $it) => "{$it->getStatus()} {$it->getCode()}", $problems);
    check($seen === ['404 not_found', '409 id_taken', '400 conflicting_parameters'], implode(', ', $seen));
    check(count($problems[2]->getErrors()) === 2, 'the two parameters are not named');
    passed(6, implode(', ', $seen));
}

shortUrl();
posts($account->getUserId());
message();
video();
notification();
problems();
require __DIR__ . '/since-1.1.0.php';
require __DIR__ . '/since-1.2.0.php';
