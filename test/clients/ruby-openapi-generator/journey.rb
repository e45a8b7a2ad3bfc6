# frozen_string_literal: true

# The journey of run.ts through the Ruby client.

require 'securerandom'
# begin: first lines
require 'uri'
$LOAD_PATH.unshift 'build/client/lib'
require 'plumbline'

Plumbline.configure do |config|
  url = URI(ENV.fetch('API_URL'))
  config.scheme = url.scheme
  config.host = "#{url.host}:#{url.port}"
  config.access_token = ENV.fetch('API_KEY')
end
account = Plumbline::ServiceApi.new.get_account
# end

TARGET = 'https://www.example.com/slates/order/5531'

# Prints the line that run.ts counts.
def passed(step, detail)
  puts "ok #{step} #{detail}"
end

# Says what the client cannot express, for the table in openapi/CLIENTS.md.
def note(text)
  puts "note #{text}"
end

def check(condition, message)
  raise message unless condition
end

def failure
  yield
rescue Plumbline::ApiError => e
  e
else
  raise 'nothing was refused'
end

# 1 create and follow a short URL.
def short_url
  urls = Plumbline::UrlsApi.new
  created = urls.create_url(Plumbline::CreateUrlRequest.new(target_url: TARGET))
  check(created.created_at.is_a?(Time) && created.expires_at.nil?, 'the timestamps are not a Time and null')
  followed = failure { urls.follow_url(created.id) }
  check(followed.code == 302 && followed.response_headers['location'] == TARGET, 'Location is not the target')
  note 'redirects are always followed; turn this off in a `Typhoeus.before` hook'
  note 'a 302 then raises an `ApiError`; read `Location` from its headers'
  passed 1, "#{created.id} leads to its target"
end

# 2 page through posts by cursor and by offset.
def posts(author)
  posts = Plumbline::PostsApi.new
  made = %w[one two three four five].map do |title|
    posts.create_post(Plumbline::CreatePostRequest.new(title: title, body: 'Measured.')).id
  end
  by_cursor = []
  after = nil
  loop do
    page = posts.list_posts(author: author, limit: 2, after: after)
    by_cursor.concat(page.data.map(&:id))
    after = page.page.next_cursor
    break if after.nil?
  end
  by_offset = []
  total = 1
  (0..).step(2) do |offset|
    break if offset >= total

    page = posts.list_posts(author: author, sort: Plumbline::PostSortOrder::OldestPostFirst, limit: 2, offset: offset)
    by_offset.concat(page.data.map(&:id))
    total = page.page.total
  end
  check(by_cursor == made.reverse, 'paging by cursor does not give the posts, newest first')
  check(by_offset == made, 'paging by offset does not give the posts, oldest first')
  passed 2, '5 posts by cursor and by offset'
end

# 3 send a message twice with one key.
def message
  key = SecureRandom.uuid
  members = Plumbline::CreateConversationRequest.new(member_ids: [ENV.fetch('COLLEAGUE_ID')])
  conversation = Plumbline::ConversationsApi.new.create_conversation(key, members)
  check(conversation.last_message_at.nil?, 'a message before the first')
  body = Plumbline::CreateMessageRequest.new(body: 'The slates come on Thursday.')
  answers = Array.new(2) { Plumbline::MessagesApi.new.create_message_with_http_info(conversation.id, key, body) }
  check(answers[0][0].id == answers[1][0].id, 'two ids')
  check(answers[1][2]['Idempotency-Replayed'] == 'true', 'not replayed')
  passed 3, 'sent twice, one message'
end

# 4 upload a video, poll until it is done and fetch its poster.
def video
  videos = Plumbline::VideoUploadsApi.new
  job, _, headers = videos.create_video_upload_with_http_info(File.binread(ENV.fetch('VIDEO')), name: 'clip.mp4')
  while [Plumbline::VideoUploadStatus::QUEUED, Plumbline::VideoUploadStatus::PROCESSING].include?(job.status)
    sleep Integer(headers['Retry-After'] || 1)
    job, _, headers = videos.get_video_upload_with_http_info(job.id)
  end
  check(job.status == Plumbline::VideoUploadStatus::SUCCEEDED, "the job #{job.status}")
  poster = File.size(videos.get_video_poster(job.id).path)
  check(poster == job.result.poster.size_bytes, 'the poster is not whole')
  passed 4, "#{job.result.duration_ms} ms of #{job.result.video_codec}, poster of #{poster} bytes"
end

# 5 read notifications with a filter and mark one read.
def notification
  notifications = Plumbline::NotificationsApi.new
  unread = notifications.list_notifications(
    status: Plumbline::NotificationStatus::UNREAD,
    kind: Plumbline::NotificationKindFilter::VideoUploadSucceeded
  )
  check(unread.data[0].read_at.nil?, 'read before it was marked')
  body = Plumbline::UpdateNotificationRequest.new(status: Plumbline::NotificationStatus::READ)
  read = notifications.update_notification(unread.data[0].id, body)
  check(read.status == Plumbline::NotificationStatus::READ && read.read_at.is_a?(Time), 'not marked')
  passed 5, "read #{read.kind}"
end

# 6 provoke a 404, a 409 and a 400.
def problems
  urls = Plumbline::UrlsApi.new
  taken = Plumbline::CreateUrlRequest.new(target_url: TARGET, id: "taken-#{SecureRandom.hex(4)}")
  urls.create_url(taken)
  failures = [
    failure { urls.get_url('no-such-url') },
    failure { urls.create_url(taken) },
    failure { Plumbline::PostsApi.new.list_posts(offset: 0, after: 'cursor') }
  ]
  note 'an `ApiError` has the problem as text; convert it with `Problem.build_from_hash`'
  problems = failures.map { |it| Plumbline::Problem.build_from_hash(JSON.parse(it.response_body, symbolize_names: true)) }
  seen = problems.map { |it| "#{it.status} #{it.code}" }
  check(seen == ['404 not_found', '409 id_taken', '400 conflicting_parameters'], seen.inspect)
  check(problems[2].errors.length == 2, 'the two parameters are not named')
  passed 6, seen.join(', ')
end

$stdout.sync = true
# Without `true`, the response of the hook would replace the response of the server.
Typhoeus.before do |request|
  request.options[:followlocation] = false
  true
end
short_url
posts account.user_id
message
video
notification
problems
require_relative 'since_1_1_0'
require_relative 'since_1_2_0'
