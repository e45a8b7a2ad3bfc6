# frozen_string_literal: true

require 'net/http'

# The steps that 1.1.0 adds, some of them as a colleague.
module GoFurther
  NAME = "Mara #{SecureRandom.hex(4)}"
  COLLEAGUE = Plumbline::ApiClient.new(
    Plumbline::Configuration.default.dup.tap { |it| it.access_token = ENV.fetch('COLLEAGUE_KEY') }
  )

  module_function

  def run
    people
    unread
    read_position
    playback
  end

  # 7 change a name, and find it as a colleague.
  def people
    me = Plumbline::ServiceApi.new.update_account(Plumbline::UpdateAccountRequest.new(display_name: NAME))
    users = Plumbline::UsersApi.new(COLLEAGUE)
    profile = users.get_user(me.user_id)
    check(profile.display_name == NAME && !profile.deleted, 'not the new name')
    check(users.find_users(NAME).data.map(&:id) == [me.user_id], 'not found by name')
    post = Plumbline::PostsApi.new(COLLEAGUE).list_posts(author: me.user_id).data[0]
    check(post.author.display_name == NAME, 'no name beside the post')
    passed 7, "#{post.title} by #{post.author.display_name}"
  end

  # The conversation to which the renamed user has sent the newest message, as the colleague sees it.
  def conversation
    sort = Plumbline::ConversationSortOrder::RecentlyActiveConversationFirst
    page = Plumbline::ConversationsApi.new(COLLEAGUE).list_conversations(sort: sort)
    page.data.find { |it| it.last_message&.sender&.display_name == NAME }
  end

  # 8 see an unread message in the list of conversations.
  def unread
    listed = conversation
    check(listed.unread_count == 1, "#{listed.unread_count} unread")
    check(listed.last_message.excerpt == 'The slates come on Thursday.', 'not the newest message')
    passed 8, "#{listed.unread_count} unread: #{listed.last_message.excerpt}"
  end

  # 9 mark it as read.
  def read_position
    listed = conversation
    position = Plumbline::PutReadPositionRequest.new(sequence: listed.last_message.sequence)
    read = Plumbline::ConversationsApi.new(COLLEAGUE).put_read_position(listed.id, position)
    check(read.unread_count.zero? && read.last_read_sequence == position.sequence, 'not read')
    check(conversation.unread_count.zero?, 'unread in the list')
    passed 9, "read up to message #{position.sequence}"
  end

  # 10 play a video through its link, without a credential.
  def playback
    video = Plumbline::VideoUploadsApi.new.list_video_uploads.data[0]
    created = Plumbline::PlaybackApi.new.create_playback(video.id, {})
    rendition = created.renditions.last
    whole, part = [{}, { 'Range' => 'bytes=1000-1999' }].map do |headers|
      Net::HTTP.get_response(URI.join(ENV.fetch('API_URL'), rendition.href), headers)
    end
    check(whole.code == '200' && whole.body.bytesize == rendition.size_bytes, 'the rendition is not whole')
    check(part.code == '206' && part.body.bytesize == 1000, 'not the requested range')
    passed 10, "#{rendition.size_bytes} bytes without a header, and a range"
  end
end

GoFurther.run
