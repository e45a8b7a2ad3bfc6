<?php

declare(strict_types=1);

/** The steps that 1.1.0 adds, some of them as a colleague. */

use Plumbline\Api\ConversationsApi;
use Plumbline\Api\PlaybackApi;
use Plumbline\Api\PostsApi;
use Plumbline\Api\ServiceApi;
use Plumbline\Api\UsersApi;
use Plumbline\Api\VideoUploadsApi;
use Plumbline\Configuration;
use Plumbline\Model\Conversation;
use Plumbline\Model\ConversationSortOrder;
use Plumbline\Model\CreatePlaybackRequest;
use Plumbline\Model\PutReadPositionRequest;
use Plumbline\Model\UpdateAccountRequest;

/** 7 change a name, and find it as a colleague. */
function people(Configuration $colleague, string $name): void
{
    $me = (new ServiceApi())->updateAccount(new UpdateAccountRequest(['display_name' => $name]));
    $users = new UsersApi(config: $colleague);
    $profile = $users->getUser($me->getUserId());
    check($profile->getDisplayName() === $name && !$profile->getDeleted(), 'not the new name');
    $found = $users->findUsers($name)->getData();
    check(count($found) === 1 && $found[0]->getId() === $me->getUserId(), 'not found by name');
    $post = (new PostsApi(config: $colleague))->listPosts(author: $me->getUserId())->getData()[0];
    check($post->getAuthor()->getDisplayName() === $name, 'no name beside the post');
    passed(7, "{$post->getTitle()} by {$post->getAuthor()->getDisplayName()}");
}

/** The conversation to which the renamed user has sent the newest message, as the colleague sees it. */
function conversationWith(Configuration $colleague, string $name): Conversation
{
    $page = (new ConversationsApi(config: $colleague))->listConversations(sort: ConversationSortOrder::RECENTLY_ACTIVE_CONVERSATION_FIRST);
    foreach ($page->getData() as $it) {
        if ($it->getLastMessage()?->getSender()->getDisplayName() === $name) {
            return $it;
        }
    }
    throw new RuntimeException('conversation is missing');
}

/** 8 see an unread message in the list of conversations. */
function unread(Configuration $colleague, string $name): void
{
    $listed = conversationWith($colleague, $name);
    check($listed->getUnreadCount() === 1, $listed->getUnreadCount() . ' unread');
    check($listed->getLastMessage()->getExcerpt() === 'The slates come on Thursday.', 'not the newest message');
    passed(8, "{$listed->getUnreadCount()} unread: {$listed->getLastMessage()->getExcerpt()}");
}

/** 9 mark it as read. */
function readPosition(Configuration $colleague, string $name): void
{
    $listed = conversationWith($colleague, $name);
    $sequence = $listed->getLastMessage()->getSequence();
    $read = (new ConversationsApi(config: $colleague))->putReadPosition($listed->getId(), new PutReadPositionRequest(['sequence' => $sequence]));
    check($read->getUnreadCount() === 0 && $read->getLastReadSequence() === $sequence, 'not read');
    check(conversationWith($colleague, $name)->getUnreadCount() === 0, 'unread in the list');
    passed(9, "read up to message $sequence");
}

/** 10 play a video through its link, without a credential. */
function playback(): void
{
    $video = (new VideoUploadsApi())->listVideoUploads()->getData()[0];
    $renditions = (new PlaybackApi())->createPlayback($video->getId(), create_playback_request: new CreatePlaybackRequest())->getRenditions();
    $rendition = end($renditions);
    $http = new GuzzleHttp\Client(['base_uri' => getenv('API_URL')]);
    $whole = $http->get($rendition->getHref());
    check($whole->getStatusCode() === 200 && $whole->getBody()->getSize() === $rendition->getSizeBytes(), 'the rendition is not whole');
    $part = $http->get($rendition->getHref(), ['headers' => ['Range' => 'bytes=1000-1999']]);
    check($part->getStatusCode() === 206 && $part->getBody()->getSize() === 1000, 'not the requested range');
    passed(10, "{$rendition->getSizeBytes()} bytes without a header, and a range");
}

$colleague = (new Configuration())->setHost(getenv('API_URL'))->setAccessToken(getenv('COLLEAGUE_KEY'));
$name = 'Mara ' . bin2hex(random_bytes(4));
people($colleague, $name);
unread($colleague, $name);
readPosition($colleague, $name);
playback();
